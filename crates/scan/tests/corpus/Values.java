import java.util.*;
import java.util.function.*;
public class Values {
    sealed interface Shape permits Circle, Square { }
    record Circle(double r) implements Shape { }
    record Square(double a, String name) implements Shape { }
    private Map<String, String> map = new HashMap<>();
    private String name;
    private Object[] table = new Object[8];
    static double area(Shape s) {
        if (s instanceof Circle c) return c.r() * c.r() * Math.PI;
        if (s instanceof Square q && q.name() != null) return q.a() * q.a() * q.name().length();
        return 0;
    }
    static int kind(String s) { return switch (s) { case "a", "b" -> 1; case "c" -> { int n = s.length(); yield n + 1; } default -> 0; }; }
    static int ok(String s) { boolean ok = s != null && !s.isEmpty(); if (!ok) return 0; return s.length(); }
    static int chain(String a, String b, String c) { String x = a != null ? a : b != null ? b : c; return x == null ? 0 : x.length(); }
    static int elvis(String a) { return Objects.requireNonNullElse(a, "").length(); }
    int contains(String k) { if (!map.containsKey(k)) return 0; return map.get(k).length(); }
    int merged(String k) { return map.merge(k, "x", String::concat).length(); }
    String getName() { if (name == null) name = "n" + hashCode(); return name; }
    int nameLength() { return getName().length(); }
    Object at(int i) { Object o = table[i]; if (o == null) { o = new Object(); table[i] = o; } return o; }
    static String sentinel(Iterator<String> it) { String last = null; while (it.hasNext()) last = it.next(); return last == null ? "" : last.trim(); }
    static String sentinelBad(Iterator<String> it) { String last = null; while (it.hasNext()) last = it.next(); return last.trim(); } // expect: null-dereference
    static int cont(List<String> l) { int n = 0; for (String s : l) { if (s == null) continue; n += s.length(); } return n; }
    static int contBad(List<String> l) { int n = 0; for (String s : l) { if (s == null) { System.out.println("null!"); } n += s.length(); } return n; } // expect: null-dereference
    static <T> Optional<T> find(List<T> l, Predicate<T> p) { for (T t : l) if (p.test(t)) return Optional.of(t); return Optional.empty(); }
    static int opt(List<String> l) { return find(l, s -> s.length() > 3).map(String::length).orElse(0); }
    static String opt2(Optional<String> o) { if (o.isPresent()) return o.get().trim(); return ""; }
    static int safe(Integer i) { return i == null ? 0 : i; }
    static int unsafe(boolean b) { Integer i = b ? 1 : null; return i; } // expect: null-dereference
    static void var(String... xs) { for (String x : xs) System.out.println(x); }
    static void callVar() { var(); var("a", null); }
    @Override public boolean equals(Object o) { if (!(o instanceof Values)) return false; Values v = (Values) o; return name == null ? v.name == null : name.equals(v.name); }
    @Override public int hashCode() { return name == null ? 0 : name.hashCode(); }
    static int cmp(String a, String b) { if (a == b) return 0; if (a == null) return -1; if (b == null) return 1; return a.compareTo(b); }
    static int tryit(String s) { String t = null; try { t = s.trim(); return t.length(); } finally { if (t == null) System.out.println("failed"); } }
    static Runnable lambda(String s) { if (s == null) return () -> { }; return () -> System.out.println(s.length()); }
    static int deepNull(boolean a, boolean b) { String s = null; if (a) { if (b) s = "x"; else s = "y"; } if (!a) s = "z"; return s.length(); }
    static int deepBad(boolean a, boolean b) { String s = null; if (a) { if (b) s = "x"; } if (!a) s = "z"; return s.length(); } // expect: null-dereference
    static String nested(Map<String, Map<String, String>> m, String a, String b) { Map<String, String> x = m.get(a); return x == null ? null : x.get(b); }
    static int nestedUse(Map<String, Map<String, String>> m) { String v = nested(m, "a", "b"); if (v == null) return 0; return v.length(); }
    private static String orNull(int n) { return n > 3 ? "big" : null; }
    static int orNullUse(int n) { String s = orNull(n); if (n > 3) return s.length(); return 0; } // allow: null-dereference
    static int orNullBad(int n) { return orNull(n).length(); } // expect: null-dereference
    static void check(String s) { if (s == null) throw new NullPointerException("s"); }
    static int checked(Map<String, String> m) { String s = m.get("a"); check(s); return s.length(); }
    static int loopNull(String[] a) { String best = null; for (String s : a) if (best == null || s.length() > best.length()) best = s; return best != null ? best.length() : 0; }
    static boolean always(int n) { boolean big = n > 10; if (big && n > 5) return true; return false; } // expect: decided-branch
    static int abs(int n) { if (n < 0) n = -n; return n; }
    static int dead(int n) { int k = n * 2; k = n + 1; return k; } // allow: unused-definition
    static int clamp(int n) { if (n < 0) return 0; if (n > 100) return 100; return n; }
    static int fib(int n) { if (n < 2) return n; return fib(n - 1) + fib(n - 2); }
    static int down(int n) { if (n == 0) { System.out.println("zero"); } return down(n - 1); } // expect: endless-recursion
    static boolean prime(int n) { for (int i = 2; i * i <= n; i++) if (n % i == 0) return false; return n > 1; }
    static void pump(java.io.InputStream in, byte[] b) throws java.io.IOException { int off = 0; while (off < b.length) { int k = in.read(b, off, b.length - off); if (k == -1) break; off += k; } }
}
