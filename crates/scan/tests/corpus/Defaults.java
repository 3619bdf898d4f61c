import java.util.*;
import java.io.*;
import java.util.function.*;
/** Default methods, type parameters, boxes. */
class Defaults {
    interface Source { String next(); default String nextOr(String d) { String s = next(); return s == null ? d : s; }
        default int nextLength() { String s = nextOr(null); return s.length(); } // allow: null-dereference
        default String name() { return "source"; } }
    static class Empty implements Source { public String next() { return null; } }
    static class One implements Source { private String s; One(String s) { this.s = s; } public String next() { String t = s; s = null; return t; } }
    int ok(Source s) { return s.nextOr("").length(); }
    int nameLength(Source s) { return s.name().length(); }
    static <T> T firstOf(List<? extends T> l, Predicate<? super T> p) {
        for (T t : l) if (p.test(t)) return t;
        return null;
    }
    int gen(List<String> l) { return firstOf(l, s -> s.length() > 3).length(); } // expect: null-dereference
    int genOk(List<String> l) { String s = firstOf(l, x -> x.length() > 3); return s == null ? 0 : s.length(); }
    static <T extends Comparable<T>> T max(List<T> l) {
        T best = null;
        for (T t : l) if (best == null || t.compareTo(best) > 0) best = t;
        return best;
    }
    <K, V> V getOrMake(Map<K, V> m, K k, Function<K, V> f) {
        V v = m.get(k);
        if (v == null) { v = f.apply(k); m.put(k, v); }
        return v;
    }
    static class Box<T> { private T v; T get() { return v; } void set(T t) { v = t; } boolean isEmpty() { return v == null; } }
    int boxed(Box<String> b) { if (b.isEmpty()) return 0; return b.get().length(); }
    int boxedBad() { Box<String> b = new Box<>(); b.set(null); return b.get().length(); } // allow: null-dereference
    String tested(Object o) {
        String s = null;
        if (o instanceof String) s = (String) o;
        return s.trim(); // expect: null-dereference
    }
    String testedOk(Object o) {
        String s = null;
        if (o instanceof String) s = (String) o; else s = "";
        return s.trim();
    }
}
