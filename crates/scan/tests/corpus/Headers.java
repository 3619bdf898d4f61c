import java.io.*;
class Headers {
    private final DataInputStream in;
    Headers(InputStream in) { this.in = new DataInputStream(in); }
    static Headers open(String f) throws IOException { return new Headers(new FileInputStream(f)); }
    int header() throws IOException {
        if (in.readInt() != 0xCAFE) throw new IOException("magic");
        return in.readUnsignedShort();
    }
    void close() throws IOException { in.close(); }
    static int version(String f) throws IOException {
        Headers r = open(f);
        try { return r.header(); } finally { r.close(); }
    }
    static int parse(String f) throws IOException {
        FileInputStream in = new FileInputStream(f); // expect: unclosed-resource
        int a = in.read();
        if (a == 1) {
            int b = in.read();
            in.close();
            return b;
        } else if (a == 2) {
            in.close();
            return 0;
        }
        return -1;
    }
    static int parse2(String f) throws IOException {
        FileInputStream in = new FileInputStream(f); // allow: unclosed-resource
        int r;
        switch (in.read()) {
            case 1: r = 10; break;
            case 2: r = 20; break;
            default: in.close(); throw new IOException("kind");
        }
        in.close();
        return r;
    }
    static int sum(String[] files) throws IOException {
        int n = 0;
        for (String f : files) {
            FileInputStream in = new FileInputStream(f); // expect: unclosed-resource
            n += in.read();
            if (n > 100) break;
            in.close();
        }
        return n;
    }
    static int sumSafe(String[] files) throws IOException {
        int n = 0;
        for (String f : files) {
            try (FileInputStream in = new FileInputStream(f)) {
                n += in.read();
                if (n > 100) break;
            }
        }
        return n;
    }
    static boolean reads(File f) {
        try {
            new FileInputStream(f).close();
            return true;
        } catch (IOException e) { return false; }
    }
}
