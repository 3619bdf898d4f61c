import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.*;
import java.util.zip.*;
public class Loader {
    private final Map<String, Properties> cache = new HashMap<>();
    public Properties get(String name) throws IOException {
        Properties p = cache.get(name);
        if (p == null) {
            p = new Properties();
            try (Reader r = Files.newBufferedReader(Paths.get(name))) { p.load(r); }
            cache.put(name, p);
        }
        return p;
    }
    public static List<String> entries(File zip) throws IOException {
        List<String> names = new ArrayList<>();
        ZipFile z = new ZipFile(zip);
        try {
            Enumeration<? extends ZipEntry> e = z.entries();
            while (e.hasMoreElements()) names.add(e.nextElement().getName());
        } finally { z.close(); }
        return names;
    }
    public static byte[] entry(File zip, String name) throws IOException {
        try (ZipFile z = new ZipFile(zip)) {
            ZipEntry e = z.getEntry(name);
            InputStream in = z.getInputStream(e);
            return in.readAllBytes();
        }
    }
    public static long size(File zip, String name) throws IOException {
        try (ZipFile z = new ZipFile(zip)) {
            return z.getEntry(name).getSize(); // expect: unchecked-null-result
        }
    }
    public static void unzip(File zip, File to) throws IOException {
        try (ZipInputStream in = new ZipInputStream(new BufferedInputStream(new FileInputStream(zip)))) {
            ZipEntry e;
            while ((e = in.getNextEntry()) != null) {
                File f = new File(to, e.getName());
                FileOutputStream out = new FileOutputStream(f); // expect: unclosed-resource
                in.transferTo(out);
                if (e.isDirectory()) continue;
                out.close();
            }
        }
    }
    public static String head(URL url) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(url.openStream()));
        try { return in.readLine(); } finally { in.close(); }
    }
    public static void append(String file, String text) throws IOException {
        Writer w = new BufferedWriter(new FileWriter(file, true)); // expect: unclosed-resource
        w.write(text);
        w.flush();
    }
    public static boolean same(File a, File b) throws IOException {
        try (InputStream x = new FileInputStream(a); InputStream y = new FileInputStream(b)) {
            int c;
            do {
                c = x.read();
                if (c != y.read()) return false;
            } while (c >= 0);
            return true;
        }
    }
    public static String read(File f) throws IOException {
        StringBuilder sb = new StringBuilder();
        Scanner s = new Scanner(f); // expect: unclosed-resource
        while (s.hasNextLine()) sb.append(s.nextLine()).append('\n');
        return sb.toString();
    }
    public static Socket connect(String host, int port, int tries) throws IOException {
        IOException last = null;
        for (int i = 0; i < tries; i++) {
            try { return new Socket(host, port); } catch (ConnectException e) { last = e; }
        }
        throw last != null ? last : new IOException("no tries");
    }
    static class Resource implements Closeable {
        private final RandomAccessFile file;
        private boolean closed;
        Resource(String name) throws IOException { file = new RandomAccessFile(name, "rw"); }
        int read() throws IOException { if (closed) throw new IOException("closed"); return file.read(); }
        public void close() throws IOException { closed = true; file.close(); }
    }
    static int first(String name) throws IOException {
        Resource r = new Resource(name); // expect: unclosed-resource
        int n = r.read();
        if (n < 0) return -1;
        r.close();
        return n;
    }
    static int firstRight(String name) throws IOException { try (Resource r = new Resource(name)) { return r.read(); } }
    static int closedThenRead(String name) throws IOException {
        Resource r = new Resource(name);
        r.close();
        return r.read(); // expect: use-after-close
    }
    static void deleteAll(File dir) {
        for (String n : dir.list()) { // expect: unchecked-null-result
            new File(dir, n).delete();
        }
    }
    static void rename(File a, File b) { a.renameTo(b); } // expect: ignored-result
    static int count(Path p) throws IOException {
        try (var s = Files.list(p)) { return (int) s.count(); }
    }
    static int countLeak(Path p) throws IOException { return (int) Files.list(p).count(); } // expect: unclosed-resource
}
