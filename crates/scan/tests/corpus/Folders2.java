import java.nio.channels.*;
import java.nio.file.*;
import java.nio.*;
import java.io.*;
class Folders2 {
    static int size(Path p) throws IOException {
        FileChannel c = FileChannel.open(p); // expect: unclosed-resource
        long n = c.size();
        if (n > Integer.MAX_VALUE) throw new IOException("too big");
        c.close();
        return (int) n;
    }
    static MappedByteBuffer map(Path p) throws IOException {
        try (FileChannel c = FileChannel.open(p, StandardOpenOption.READ)) {
            return c.map(FileChannel.MapMode.READ_ONLY, 0, c.size());
        }
    }
    static void locked(Path p, Runnable r) throws IOException {
        try (FileChannel c = FileChannel.open(p, StandardOpenOption.WRITE); FileLock l = c.lock()) {
            r.run();
        }
    }
    static long lines(Path p) throws IOException {
        return Files.lines(p).count(); // expect: unclosed-resource
    }
    static long linesSafe(Path p) throws IOException {
        try (var s = Files.lines(p)) { return s.count(); }
    }
    static void list(Path dir) throws IOException {
        DirectoryStream<Path> all = Files.newDirectoryStream(dir); // expect: unclosed-resource
        for (Path p : all) System.out.println(p);
    }
    static String parent(Path p) {
        return p.getParent().toString(); // expect: unchecked-null-result
    }
    static String parentOr(Path p) {
        Path up = p.getParent();
        return up != null ? up.toString() : ".";
    }
    static int skip(InputStream in) throws IOException {
        in.skip(10); // expect: ignored-result
        return in.read();
    }
    static void fill(InputStream in, byte[] b) throws IOException {
        in.read(b); // expect: ignored-result
    }
    static int fillAll(InputStream in, byte[] b) throws IOException {
        int n = 0;
        while (n < b.length) {
            int k = in.read(b, n, b.length - n);
            if (k < 0) break;
            n += k;
        }
        return n;
    }
}
