import java.io.*;
class ObjectFiles {
    private static void closeQuietly(Closeable c) {
        if (c != null) try { c.close(); } catch (IOException e) { /* nothing to do */ }
    }
    static byte[] read(File f) throws IOException {
        InputStream in = null;
        try {
            in = new FileInputStream(f);
            return in.readAllBytes();
        } finally {
            closeQuietly(in);
        }
    }
    static int parse(File f) {
        Reader r = null;
        try {
            r = new FileReader(f);
            return r.read();
        } catch (IOException e) {
            return -1;
        } finally {
            if (r != null) try { r.close(); } catch (IOException e) { }
        }
    }
    static Object load(File f) throws IOException, ClassNotFoundException {
        ObjectInputStream in = new ObjectInputStream(new FileInputStream(f)); // allow: unclosed-resource
        Object o = in.readObject();
        closeQuietly(in);
        return o;
    }
    static Object loadLeak(File f) throws IOException {
        ObjectInputStream in = new ObjectInputStream(new FileInputStream(f)); // expect: unclosed-resource
        try {
            Object o = in.readObject();
            in.close();
            return o;
        } catch (ClassNotFoundException e) {
            return null;
        }
    }
    static Writer open(File f, boolean buffered) throws IOException {
        Writer w = new FileWriter(f);
        return buffered ? new BufferedWriter(w) : w;
    }
    static void append(File f, String s) throws IOException {
        Writer w = open(f, true); // expect: unclosed-resource
        w.write(s);
        w.flush();
    }
    static void appendSafe(File f, String s) throws IOException {
        try (Writer w = open(f, s.length() > 100)) { w.write(s); }
    }
    static void after(File f) throws IOException {
        Writer w = open(f, false); // allow: unclosed-resource
        w.write("a");
        w.close();
        w.write("b"); // expect: use-after-close
    }
    static void memory() {
        StringWriter w = new StringWriter();
        w.write("x");
        ByteArrayOutputStream b = new ByteArrayOutputStream();
        b.write(1);
    }
}
