import java.util.*;
/** Properties, resources, system settings. */
class Registry2 {
    private static final Properties SETTINGS = new Properties();
    private Map<String, List<String>> index;
    static String home() { return System.getProperty("user.home").trim(); }
    static int width() {
        String w = System.getProperty("app.width");
        return w == null ? 80 : Integer.parseInt(w);
    }
    static int height() {
        return Integer.parseInt(System.getProperty("app.height").trim()); // expect: unchecked-null-result
    }
    static String user() {
        String u = System.getenv("APP_USER");
        if (u.isEmpty()) u = "nobody"; // expect: unchecked-null-result
        return u;
    }
    static String setting(String key) {
        if (SETTINGS.getProperty(key) != null) return SETTINGS.getProperty(key).trim();
        return "";
    }
    List<String> of(String key) {
        if (index == null) index = new HashMap<>();
        List<String> all = index.get(key);
        if (all == null) {
            all = new ArrayList<>();
            index.put(key, all);
        }
        return all;
    }
    int sizeOf(String key) {
        return index.get(key).size(); // expect: unchecked-null-result
    }
    int known() { return index == null ? 0 : index.size(); }
    void drop(String key) {
        if (index != null) index.remove(key);
    }
    static java.io.InputStream resource(String name) {
        return Registry2.class.getResourceAsStream(name);
    }
    static int firstByte(String name) throws java.io.IOException {
        try (java.io.InputStream in = resource(name)) {
            return in.read(); // expect: unchecked-null-result
        }
    }
    static int firstByteSafe(String name) throws java.io.IOException {
        try (java.io.InputStream in = resource(name)) {
            return in == null ? -1 : in.read();
        }
    }
}
