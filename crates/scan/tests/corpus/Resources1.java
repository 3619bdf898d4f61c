import java.io.*;
import java.util.*;
class Resources1 {
    static Properties read(String name) {
        InputStream in = Resources1.class.getResourceAsStream(name);
        Properties p = new Properties();
        try {
            p.load(in);
        } catch (IOException e) {
            return null;
        } finally {
            try { if (in != null) in.close(); } catch (IOException e) { }
        }
        return p;
    }
    static String get(String name, String key) {
        Properties p = read(name);
        return p.getProperty(key); // expect: null-dereference
    }
    static String getSafe(String name, String key) {
        Properties p = read(name);
        if (p == null) return null;
        String v = p.getProperty(key);
        if (v == null) return "";
        return v.trim();
    }
    static int number(String name, String key) {
        return Integer.parseInt(getSafe(name, key));
    }
    static int width(String name, String key) {
        String s = getSafe(name, key);
        return s.length(); // expect: null-dereference
    }
    static String trimmed(Properties p) {
        return p.getProperty("a").trim(); // expect: unchecked-null-result
    }
    static String trimmedOr(Properties p) {
        return p.getProperty("a", "none").trim();
    }
    static File temp() throws IOException {
        File f = File.createTempFile("a", "b"); // allow: temporary-file
        try (Writer w = new FileWriter(f)) { w.write("x"); }
        return f;
    }
    static int tokens(String s) {
        StringTokenizer t = new StringTokenizer(s);
        int n = 0;
        while (t.hasMoreTokens()) { t.nextToken(); n++; }
        return n;
    }
    static Console console() { return System.console(); }
    static String ask() {
        return console().readLine(); // expect: unchecked-null-result
    }
}
