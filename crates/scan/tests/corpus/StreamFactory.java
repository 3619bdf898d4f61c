import java.io.*;
import java.util.function.Supplier;
/** Resources that factories make. */
class StreamFactory {
    interface Maker { InputStream make() throws IOException; }
    private final File root;
    StreamFactory(File root) { this.root = root; }
    InputStream open(String name) throws IOException {
        return new BufferedInputStream(new FileInputStream(new File(root, name)));
    }
    InputStream openOr(String name, String other) throws IOException {
        File file = new File(root, name);
        return file.exists() ? new FileInputStream(file) : open(other);
    }
    static int count(Maker maker) throws IOException {
        try (InputStream in = maker.make()) {
            int n = 0;
            while (in.read() >= 0) n++;
            return n;
        }
    }
    int size(String name) throws IOException { return count(() -> open(name)); }
    int first(String name) throws IOException {
        InputStream in = open(name); // expect: unclosed-resource
        return in.read();
    }
    int firstOr(String name, String other) throws IOException {
        InputStream in = openOr(name, other);
        try {
            return in.read();
        } finally {
            in.close();
        }
    }
    byte[] two(String name, String other) throws IOException {
        InputStream in = openOr(name, other); // expect: unclosed-resource
        byte[] bytes = new byte[2];
        if (in.read(bytes) < 2) return null;
        in.close();
        return bytes;
    }
    int twoLength(String name) throws IOException {
        return two(name, name).length; // expect: null-dereference
    }
}
