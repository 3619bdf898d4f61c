import java.io.*;
/** Things that wrap and own others. */
class Handles implements Closeable {
    private final RandomAccessFile file;
    private Writer log;
    Handles(File f) throws IOException {
        file = new RandomAccessFile(f, "r");
    }
    void logTo(File f) throws IOException {
        if (log != null) log.close();
        log = new FileWriter(f);
    }
    public void close() throws IOException {
        file.close();
        if (log != null) log.close();
    }
    int at(long place) throws IOException {
        file.seek(place);
        return file.read();
    }
    static int once(File f, long place) throws IOException {
        try (Handles h = new Handles(f)) {
            return h.at(place);
        }
    }
    static int onceBadly(File f, long place) throws IOException {
        Handles h = new Handles(f); // expect: unclosed-resource
        return h.at(place);
    }
    private static void end(Closeable c) {
        try {
            c.close();
        } catch (IOException e) {
            System.err.println(e);
        }
    }
    static int byHelper(File f) throws IOException {
        Handles h = new Handles(f);
        try {
            return h.at(0);
        } finally {
            end(h);
        }
    }
    static int byHelperBadly(File f) throws IOException {
        Handles h = new Handles(f);
        end(h);
        return h.at(0); // missed: use-after-close
    }
    static Handles handed(File f) throws IOException {
        Handles h = new Handles(f); // allow: unclosed-resource
        h.logTo(new File("log"));
        return h;
    }
    private static void dispose(Handles h) throws IOException { if (h != null) h.close(); }
    static int disposed(File f) throws IOException {
        Handles h = new Handles(f);
        try {
            return h.at(1);
        } finally {
            dispose(h);
        }
    }
}
