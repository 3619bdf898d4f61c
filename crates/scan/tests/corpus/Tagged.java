import java.util.*;
/** A record, and records inside it. */
record Tagged(String name, List<String> tags) {
    Tagged {
        Objects.requireNonNull(name);
        if (tags == null) tags = List.of();
    }
    static Tagged of(String s) { return s == null || s.isEmpty() ? null : new Tagged(s, null); }
    int size() { return name.length() + tags.size(); }
    static int parse(String s) { return of(s).size(); } // expect: null-dereference
    static int parseOk(String s) { Tagged r = of(s); if (r == null) return 0; return r.size(); }
    record Pair<A, B>(A first, B second) {
        <C> Pair<A, C> with(C c) { return new Pair<>(first, c); }
        boolean hasFirst() { return first != null; }
    }
    static int firstLength(Pair<String, ?> p) { if (!p.hasFirst()) return 0; return p.first().length(); }
    static int secondLength(Pair<?, String> p) {
        if (p.second() == null) { System.out.println("none"); }
        return p.second().length(); // expect: null-dereference
    }
    static int secondOk(Pair<?, String> p) { return p.second() == null ? 0 : p.second().length(); }
    static boolean late(Pair<String, String> p) {
        int n = p.hashCode();
        if (p == null) return false; // expect: null-check-after-use
        return n > 0;
    }
    static String swap(Pair<String, String> p, boolean b) {
        String t = p.first(); // expect: unused-definition
        t = b ? p.second() : "x";
        return t;
    }
}
