import java.util.*;
class Largest {
    static <T extends Comparable<T>> T max(Collection<T> all) {
        T best = null;
        for (T x : all) if (best == null || best.compareTo(x) < 0) best = x;
        return best;
    }
    static int maxLength(List<String> all) {
        return max(all).length(); // expect: null-dereference
    }
    static int maxSafe(List<String> all) {
        if (all.isEmpty()) return 0;
        String m = max(all);
        return m == null ? 0 : m.length();
    }
    static <K, V> V need(Map<K, V> m, K k) {
        V v = m.get(k);
        if (v == null) throw new NoSuchElementException("no " + k);
        return v;
    }
    static int needed(Map<String, String> m) { return need(m, "a").length(); }
    static <T> T first(T[] a) { return a.length == 0 ? null : a[0]; }
    static int firstLength(String[] a) { return first(a).length(); } // expect: null-dereference
    static <T> T or(T a, T b) { return a != null ? a : b; }
    static int orLength(String a) { return or(a, "x").length(); }
    static int orNull(Map<String, String> m) { return or(m.get("a"), "").length(); }
    static <T> T same(T t) { return t; }
    static int sameNull() {
        String s = same(null);
        return s.length(); // expect: null-dereference
    }
    static int sameText() { return same("a").length(); }
    static String join(String... parts) {
        if (parts == null || parts.length == 0) return "";
        StringBuilder b = new StringBuilder(parts[0]);
        for (int i = 1; i < parts.length; i++) b.append(parts[i]);
        return b.toString();
    }
    static int fact(int n) {
        if (n <= 1) return 1;
        return n * fact(n - 1);
    }
    static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
    static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
    static int ping(int n) { return pong(n + 1); } // expect: endless-recursion
    static int pong(int n) { return ping(n - 1); }
}
