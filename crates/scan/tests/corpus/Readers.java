import java.io.*;
import java.util.*;
class Readers {
    private final Map<String, Reader> open = new HashMap<>();
    Reader reader(String f) throws IOException {
        Reader r = open.get(f);
        if (r == null) {
            r = new FileReader(f);
            open.put(f, r);
        }
        return r;
    }
    void closeAll() {
        for (Reader r : open.values()) {
            try { r.close(); } catch (IOException e) { System.err.println(e.getMessage()); }
        }
        open.clear();
    }
    int read(String f) throws IOException { return reader(f).read(); }
    void drop(String f) throws IOException {
        Reader r = open.remove(f);
        r.close(); // expect: unchecked-null-result
    }
    void dropSafe(String f) throws IOException {
        Reader r = open.remove(f);
        if (r != null) r.close();
    }
    static int consume(Reader r) throws IOException {
        try (r) { return r.read(); }
    }
    static int one(String f) throws IOException { return consume(new FileReader(f)); }
    static int two(String f) throws IOException {
        Reader r = new FileReader(f);
        int a = consume(r);
        return a + r.read(); // expect: use-after-close
    }
    static Reader decode(InputStream in, String cs) throws IOException {
        return cs == null ? new InputStreamReader(in) : new InputStreamReader(in, cs);
    }
    static int decoded(String f, String cs) throws IOException {
        Reader r = decode(new FileInputStream(f), cs); // allow: unclosed-resource
        int n = r.read();
        r.close();
        return n;
    }
    static int undecoded(String f, String cs) throws IOException {
        Reader r = decode(new FileInputStream(f), cs); // expect: unclosed-resource
        return r.read();
    }
    static String text(Object o) {
        if (o == null) return null;
        return o.toString();
    }
    static int size(Object o) { return text(o).length(); }
    static int sizeOfNull() { return text(null).length(); } // expect: null-dereference
    static int sizeAsked(Object o) { return o == null ? 0 : text(o).length(); }
}
