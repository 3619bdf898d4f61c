import java.io.*;
import java.util.*;
class Journal {
    private Writer log;
    private boolean open;
    void start(String file) throws IOException {
        if (open) return;
        log = new FileWriter(file);
        open = true;
    }
    void say(String s) throws IOException {
        if (open) log.write(s);
    }
    void stop() throws IOException {
        if (!open) return;
        log.close();
        open = false;
        log = null;
    }
    void restart(String file) throws IOException {
        stop();
        start(file);
        log.write("again");
    }
    void stopAndSay(String s) throws IOException {
        stop();
        log.write(s); // allow: null-dereference
    }
    void clear() {
        log = null;
        log.toString(); // expect: null-dereference
    }
    static String[] split(String s) {
        if (s == null) return null;
        return s.split(",");
    }
    static int parts(String s) {
        if (s == null) return 0;
        return split(s).length;
    }
    static int noParts() {
        return split(null).length; // expect: null-dereference
    }
    static String env(String name) {
        String v = System.getenv(name);
        if (v == null) v = System.getProperty(name);
        return v.trim(); // expect: unchecked-null-result
    }
    static String envOr(String name) {
        String v = System.getProperty(name);
        if (v == null || v.isBlank()) v = "none";
        return v.trim();
    }
    static void make(File dir) {
        dir.mkdirs(); // missed: ignored-result
    }
}
