import java.io.*;
import java.net.*;
import java.util.*;
/** Who owns a resource. */
class Connections implements AutoCloseable {
    private Socket socket; private BufferedReader in; private volatile boolean closed;
    Connections(String host, int port) throws IOException {
        socket = new Socket(host, port);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
    }
    String line() throws IOException { if (closed) throw new IOException("closed"); return in.readLine(); }
    @Override public void close() throws IOException { closed = true; in.close(); socket.close(); }
    static String once(String h) throws IOException { try (Connections o = new Connections(h, 1)) { return o.line(); } }
    static String onceBad(String h) throws IOException { Connections o = new Connections(h, 1); return o.line(); } // expect: unclosed-resource
    static int upper(String h) throws IOException { try (Connections o = new Connections(h, 1)) { return o.line().length(); } } // expect: unchecked-null-result
    static void serve(int port) throws IOException {
        ServerSocket s = new ServerSocket(port); // expect: unclosed-resource
        Socket c = s.accept(); // expect: unclosed-resource
        c.getOutputStream().write(1);
    }
    static void serveOk(int port) throws IOException {
        try (ServerSocket s = new ServerSocket(port)) { try (Socket c = s.accept()) { c.getOutputStream().write(1); } }
    }
    static Properties load(String name) throws IOException {
        Properties p = new Properties();
        p.load(Connections.class.getResourceAsStream(name)); // allow: unchecked-null-result, unclosed-resource
        return p;
    }
    static Properties loadOk(File f) throws IOException {
        Properties p = new Properties();
        try (Reader r = new FileReader(f)) { p.load(r); }
        return p;
    }
    static Properties loadBad(File f) throws IOException {
        Properties p = new Properties();
        Reader r = new FileReader(f); // expect: unclosed-resource
        p.load(r);
        return p;
    }
    private static void quietly(Closeable c) { if (c != null) try { c.close(); } catch (IOException e) { } }
    static int viaHelper(File f) throws IOException {
        InputStream in = null;
        try { in = new FileInputStream(f); return in.read(); } finally { quietly(in); }
    }
    static void temp() throws IOException {
        File t = File.createTempFile("a", "b"); // expect: temporary-file
        System.out.println(t.length());
    }
    static void tempOk() throws IOException {
        File t = File.createTempFile("a", "b");
        try { System.out.println(t.length()); } finally { t.delete(); }
    }
    static int twice(File f) throws IOException {
        FileInputStream in = new FileInputStream(f);
        try { return in.read(); } finally { in.close(); in.close(); }
    }
    static void replaced(File a, File b) throws IOException {
        FileInputStream in = new FileInputStream(a); // expect: unclosed-resource
        in.read();
        in = new FileInputStream(b);
        try { in.read(); } finally { in.close(); }
    }
}
