import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;

/** Results that must be looked at. */
class Results {
    static boolean property() {
        return System.getProperty("app.home").startsWith("Linux"); // expect: unchecked-null-result
    }

    static boolean propertyOfAll() {
        return System.getProperty("os.name").startsWith("Linux");
    }

    static boolean propertyDefault() {
        return System.getProperty("os.name", "").startsWith("Linux");
    }

    static String propertiesDefault(Properties p) {
        return p.getProperty("a", "b").trim();
    }

    static String propertiesNone(Properties p) {
        return p.getProperty("a").trim(); // expect: unchecked-null-result
    }

    static int files(File folder) {
        int n = 0;
        for (File file : folder.listFiles()) { // expect: unchecked-null-result
            n += file.isFile() ? 1 : 0;
        }
        return n;
    }

    static int filesRight(File folder) {
        File[] all = folder.listFiles();
        if (all == null) {
            return 0;
        }
        return all.length;
    }

    static String line(BufferedReader in) throws IOException {
        String line = in.readLine();
        return line.trim(); // expect: unchecked-null-result
    }

    static int lines(BufferedReader in) throws IOException {
        int n = 0;
        String line;
        while ((line = in.readLine()) != null) {
            n += line.length();
        }
        return n;
    }

    static void header(BufferedReader in) throws IOException {
        for (;;) {
            String line = in.readLine();
            if (line == null || line.isEmpty()) {
                break;
            }
            System.out.println(line.toUpperCase());
        }
    }

    static String home() {
        String home = System.getenv("HOME");
        if (home == null || home.isEmpty()) {
            home = "/";
        }
        return home.trim();
    }

    static String parent(File file) {
        return file.getParentFile().getName(); // expect: unchecked-null-result
    }

    static String parentRight(File file) {
        File parent = file.getParentFile();
        return parent != null ? parent.getName() : "";
    }

    static int resource(Class<?> c) throws IOException {
        try (InputStream in = c.getResourceAsStream("a.txt")) {
            return in.read(); // expect: unchecked-null-result
        }
    }

    static void read(InputStream in, byte[] data) throws IOException {
        in.read(data); // expect: ignored-result
    }

    static void readFully(InputStream in, byte[] data) throws IOException {
        int at = 0;
        while (at < data.length) {
            int n = in.read(data, at, data.length - at);
            if (n < 0) {
                throw new IOException("end");
            }
            at += n;
        }
    }

    static void skip(InputStream in) throws IOException {
        in.skip(10); // expect: ignored-result
    }

    static String trimmed(String s) {
        s.trim(); // expect: ignored-result
        return s;
    }

    static String replaced(String s) {
        s = s.replace('a', 'b');
        return s;
    }

    static BigDecimal sum(BigDecimal a, BigDecimal b) {
        a.add(b); // expect: ignored-result
        return a;
    }

    static void make(File f) throws IOException {
        f.createNewFile(); // expect: ignored-result
    }

    static void makeRight(File f) throws IOException {
        if (!f.createNewFile()) {
            throw new IOException("exists");
        }
    }

    static void delete(File f) {
        f.delete(); // allow: ignored-result
    }

    static void await(CountDownLatch latch) throws InterruptedException {
        latch.await(1, TimeUnit.SECONDS); // expect: ignored-result
    }

    static boolean awaitRight(CountDownLatch latch) throws InterruptedException {
        return latch.await(1, TimeUnit.SECONDS);
    }

    static int tries(ReentrantLock lock, int n) {
        lock.tryLock(); // expect: ignored-result
        try { // allow: unlock-without-lock
            return n;
        } finally {
            lock.unlock(); // allow: unlock-without-lock
        }
    }

    static int map(Map<String, String> m) {
        if (m.containsKey("a")) {
            return m.get("a").length();
        }
        return 0;
    }

    static void builder(StringBuilder b, HashMap<String, String> m, String s) {
        b.append(s);
        m.put(s, s);
        m.remove(s);
    }
}
