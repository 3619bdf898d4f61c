import java.util.*;
class Cached {
    private static Cached instance;
    private volatile Map<String, String> cache;
    static synchronized Cached get() {
        if (instance == null) instance = new Cached();
        return instance;
    }
    static int use() { return get().size(); }
    int size() {
        Map<String, String> c = cache;
        if (c == null) {
            synchronized (this) {
                c = cache;
                if (c == null) cache = c = new HashMap<>();
            }
        }
        return c.size();
    }
    int broken() {
        Map<String, String> c = cache;
        if (c == null) {
            cache = new HashMap<>();
        }
        return c.size(); // expect: null-dereference
    }
    String lookup(String k) {
        String v = cache != null ? cache.get(k) : null;
        return v == null ? k : v;
    }
    String upper(String k) {
        String v = cache != null ? cache.get(k) : null;
        return v.toUpperCase(); // expect: null-dereference
    }
    void put(String k, String v) {
        assert k != null;
        if (v == null) throw new NullPointerException("v");
        size();
        cache.put(k.trim(), v.trim());
    }
    static String text(Object o) {
        String s = null;
        try {
            s = o.toString();
        } catch (RuntimeException e) {
            System.err.println("bad: " + e);
        }
        return s.trim(); // missed: null-dereference
    }
    static String textSafe(Object o) {
        String s;
        try {
            s = o.toString();
        } catch (RuntimeException e) {
            return "";
        }
        return s.trim();
    }
}
