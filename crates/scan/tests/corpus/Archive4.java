import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipEntry;

/** Records in binary files. */
public class Archive4 implements AutoCloseable {
    private DataOutputStream out;
    private final File file;

    public Archive4(File file) {
        this.file = file;
    }

    private DataOutputStream out() throws IOException {
        if (out == null) {
            out = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(file)));
        }
        return out;
    }

    public void add(int n, String s) throws IOException {
        out().writeInt(n);
        out().writeUTF(s);
    }

    @Override
    public void close() throws IOException {
        if (out != null) {
            out.close();
            out = null;
        }
    }

    public int sum() throws IOException {
        int sum = 0;
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(new FileInputStream(file)))) {
            while (true) {
                sum += in.readInt();
                in.readUTF();
            }
        } catch (EOFException e) {
            return sum;
        }
    }

    public int sumLeaks() throws IOException {
        DataInputStream in = new DataInputStream(new FileInputStream(file)); // expect: unclosed-resource
        int sum = 0;
        int n = in.readInt();
        for (int i = 0; i < n; i++) {
            sum += in.readInt();
        }
        return sum;
    }

    public int first() {
        try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
            return in.readInt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public long size(Path p) throws IOException {
        FileChannel c = FileChannel.open(p, StandardOpenOption.READ); // expect: unclosed-resource
        long n = c.size();
        c.close();
        return n;
    }

    public long sizeRight(Path p) throws IOException {
        try (FileChannel c = FileChannel.open(p, StandardOpenOption.READ)) {
            return c.size();
        }
    }

    public int entries(InputStream raw) throws IOException {
        ZipInputStream zip = new ZipInputStream(raw);
        int n = 0;
        ZipEntry e;
        while ((e = zip.getNextEntry()) != null) {
            n += e.getName().length();
        }
        return n;
    }

    public static void dump(File f) throws IOException {
        Archive4 a = new Archive4(f); // expect: unclosed-resource
        a.add(1, "one");
        a.add(2, "two");
    }

    public static void dumpRight(File f) throws IOException {
        try (Archive4 a = new Archive4(f)) {
            a.add(1, "one");
        }
    }

    public void reopen() throws IOException {
        FileOutputStream o = new FileOutputStream(file, true); // expect: unclosed-resource
        o.write(0);
        o.close();
        o = new FileOutputStream(file, true); // expect: unclosed-resource
        o.write(1);
        o.close();
    }

    public void writeLate() throws IOException {
        FileOutputStream o = new FileOutputStream(file, true);
        try {
            o.write(0);
        } finally {
            o.close();
        }
        o.write(1); // expect: use-after-close
    }
}
