import java.io.*;
import java.net.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;
public class Streams {
    record Named(String name, InputStream in) { }
    private final List<Closeable> open = new ArrayList<>();
    private InputStream current;
    Named named(String f) throws IOException { return new Named(f, new FileInputStream(f)); }
    void effectivelyFinal(String f) throws IOException {
        InputStream in = new FileInputStream(f);
        try (in) { System.out.println(in.read()); }
    }
    int either(String f, boolean b) throws IOException {
        InputStream in;
        if (b) in = new FileInputStream(f); else in = new ByteArrayInputStream(new byte[3]);
        try { return in.read(); } finally { in.close(); }
    }
    void later(ExecutorService e, String f) throws IOException {
        InputStream in = new FileInputStream(f);
        e.submit(() -> { try { in.read(); } finally { in.close(); } return null; });
    }
    void swap(String f) throws IOException {
        InputStream old = current;
        current = new FileInputStream(f);
        if (old != null) old.close();
    }
    void many(String[] names) throws IOException {
        List<InputStream> all = new ArrayList<>();
        try {
            for (String n : names) all.add(new FileInputStream(n));
            for (InputStream in : all) System.out.println(in.read());
        } finally { for (InputStream in : all) in.close(); }
    }
    <T extends Closeable> T register(T c) { open.add(c); return c; }
    int registered(String f) throws IOException { return register(new FileInputStream(f)).read(); }
    static OutputStream out(String f, boolean gz) throws IOException {
        OutputStream out = new BufferedOutputStream(new FileOutputStream(f));
        if (gz) {
            try { out = new java.util.zip.GZIPOutputStream(out); }
            catch (IOException e) { out.close(); throw e; }
        }
        return out;
    }
    static void channel(String a, String b) throws IOException {
        try (FileChannel in = new FileInputStream(a).getChannel(); FileChannel out = new FileOutputStream(b).getChannel()) {
            in.transferTo(0, in.size(), out);
        }
    }
    static long channelBad(String a) throws IOException {
        FileChannel in = new RandomAccessFile(a, "r").getChannel(); // expect: unclosed-resource
        return in.size();
    }
    static List<String> words(Path p) throws IOException {
        try (Stream<String> s = Files.lines(p)) { return s.flatMap(l -> Arrays.stream(l.split(" "))).collect(Collectors.toList()); }
    }
    static void copy(Reader r, Writer w) throws IOException {
        char[] b = new char[1024];
        for (int n; (n = r.read(b)) != -1;) w.write(b, 0, n);
        w.flush();
    }
    static void copyFiles(String a, String b) throws IOException {
        try (Reader r = new FileReader(a)) {
            Writer w = new FileWriter(b); // expect: unclosed-resource
            copy(r, w);
            w.close();
        }
    }
    static String firstLine(Socket s) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
        return in.readLine();
    }
    static void server(int port) throws IOException {
        ServerSocket ss = new ServerSocket(port);
        try {
            while (!Thread.interrupted()) {
                try (Socket s = ss.accept()) { System.out.println(firstLine(s)); }
                catch (SocketException e) { break; }
            }
        } finally { ss.close(); }
    }
    static void serverBad(int port) throws IOException {
        ServerSocket ss = new ServerSocket(port); // expect: unclosed-resource
        Socket s = ss.accept(); // expect: unclosed-resource
        System.out.println(firstLine(s));
    }
    static boolean exists(String f) {
        try (InputStream in = new FileInputStream(f)) { return in.read() >= 0; } catch (FileNotFoundException e) { return false; } catch (IOException e) { throw new UncheckedIOException(e); }
    }
    static Properties props(String f) {
        Properties p = new Properties();
        FileInputStream in = null;
        try { in = new FileInputStream(f); p.load(in); }
        catch (IOException e) { return null; }
        finally { if (in != null) { try { in.close(); } catch (IOException e) { System.err.println(e); } } }
        return p;
    }
    static String value(String f) { return props(f).getProperty("a"); } // expect: null-dereference
    static int write(String f, int[] d) throws IOException {
        DataOutputStream o = null;
        try {
            o = new DataOutputStream(new FileOutputStream(f));
            for (int x : d) { if (x < 0) return -1; o.writeInt(x); }
            return d.length;
        } finally { if (o != null) o.close(); }
    }
    static class Wrapper implements Closeable {
        private final InputStream in; private int n;
        Wrapper(InputStream in) { this.in = in; }
        int next() throws IOException { n++; return in.read(); }
        @Override public void close() throws IOException { in.close(); }
    }
    static int wrapped(String f) throws IOException { try (Wrapper w = new Wrapper(new FileInputStream(f))) { return w.next(); } }
    static int wrappedBad(String f) throws IOException { Wrapper w = new Wrapper(new FileInputStream(f)); return w.next(); } // expect: unclosed-resource
    static void print(PrintStream out) { out.println("x"); }
    static void report(String f) throws IOException { PrintStream p = new PrintStream(f); print(p); p.close(); }
    static Process run(String c) throws IOException { Process p = Runtime.getRuntime().exec(c); p.getOutputStream().close(); return p; }
}
