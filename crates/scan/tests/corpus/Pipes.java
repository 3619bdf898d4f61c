import java.io.*;
class Pipes {
    static class Pipe extends FilterOutputStream {
        private long count;
        Pipe(OutputStream out) { super(out); }
        @Override public void write(int b) throws IOException { out.write(b); count++; }
        long count() { return count; }
    }
    static long copy(InputStream in, File to) throws IOException {
        Pipe p = new Pipe(new FileOutputStream(to));
        try {
            in.transferTo(p);
        } finally {
            p.close();
        }
        return p.count();
    }
    static Pipe wrap(OutputStream out) { return new Pipe(out); }
    static void leak(File to) throws IOException {
        Pipe p = wrap(new FileOutputStream(to)); // expect: unclosed-resource
        p.write(1);
    }
    static void given(OutputStream out) throws IOException {
        Pipe p = wrap(out);
        p.write(1);
        p.flush();
    }
    static void stdout(String s) {
        PrintWriter w = new PrintWriter(System.out);
        w.println(s);
        w.flush();
    }
    private OutputStream kept;
    void keep(File f) throws IOException { kept = new Pipe(new FileOutputStream(f)); }
    void done() throws IOException { if (kept != null) { kept.close(); kept = null; } }
    static void lots(File a, File b) throws IOException {
        OutputStream x = new FileOutputStream(a), y = new FileOutputStream(b); // allow: unclosed-resource
        try {
            x.write(1);
            y.write(2);
        } finally {
            x.close();
            y.close();
        }
    }
    static void swap(File a, File b) throws IOException {
        OutputStream out = new FileOutputStream(a); // expect: unclosed-resource
        out.write(1);
        out = new FileOutputStream(b); // expect: unclosed-resource
        out.write(2);
        out.close();
    }
    static void either(File a, boolean c) throws IOException {
        OutputStream out = c ? new FileOutputStream(a) : null; // allow: unclosed-resource
        if (out != null) out.write(1);
        if (c) out.close();
    }
}
