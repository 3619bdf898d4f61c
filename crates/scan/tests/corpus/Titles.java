import java.util.*;
abstract class Titles {
    protected abstract String key();
    protected String title() { return null; }
    String text() {
        String t = title();
        return t == null ? key() : t;
    }
    int size() { return title().length(); }
    static class Plain extends Titles {
        private final String k;
        Plain(String k) { this.k = Objects.requireNonNull(k); }
        protected String key() { return k; }
    }
    static class Titled extends Plain {
        private final String t;
        Titled(String k, String t) { super(k); this.t = t; }
        @Override protected String title() { return t; }
    }
    static int sizeOf(String k) {
        Plain p = new Plain(k);
        return p.key().length();
    }
    static Titles make(Map<String, String> m) {
        String k = m.get("key");
        if (k == null) return null;
        String t = m.get("title");
        return t != null ? new Titled(k, t) : new Plain(k);
    }
    static String show(Map<String, String> m) {
        Titles it = make(m);
        return it.text(); // expect: null-dereference
    }
    static String showSafe(Map<String, String> m) {
        Titles it = make(m);
        if (it == null) it = new Plain("none");
        return it.text();
    }
    static String showAll(List<Map<String, String>> all) {
        StringBuilder b = new StringBuilder();
        for (Map<String, String> m : all) {
            Titles it = make(m);
            if (it == null) continue;
            b.append(it.text());
        }
        return b.toString();
    }
    static void insert(StringBuilder b, String s) {
        s.concat("x"); // expect: ignored-result
        b.append(s);
    }
}
