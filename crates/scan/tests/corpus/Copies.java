import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Streams through helpers and wrappers. */
class Copies {
    static void copy(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[8192];
        int n;
        while ((n = in.read(buffer)) >= 0) {
            out.write(buffer, 0, n);
        }
    }

    void file(File from, File to) throws IOException {
        try (InputStream in = new FileInputStream(from); OutputStream out = new FileOutputStream(to)) {
            copy(in, out);
        }
    }

    void fileBadly(File from, File to) throws IOException {
        InputStream in = new FileInputStream(from); // expect: unclosed-resource
        OutputStream out = new FileOutputStream(to); // expect: unclosed-resource
        copy(in, out);
        out.close();
        in.close();
    }

    void nested(File from, File to) throws IOException {
        InputStream in = new FileInputStream(from);
        try {
            OutputStream out = new FileOutputStream(to);
            try {
                copy(in, out);
            } finally {
                out.close();
            }
        } finally {
            in.close();
        }
    }

    byte[] memory(byte[] bytes) throws IOException {
        InputStream in = new ByteArrayInputStream(bytes);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        copy(in, out);
        return out.toByteArray();
    }

    void packed(File to, byte[] bytes) throws IOException {
        try (DataOutputStream out = new DataOutputStream(
                new GZIPOutputStream(new FileOutputStream(to)))) {
            out.writeInt(bytes.length);
            out.write(bytes);
        }
    }

    void packedBadly(File to, byte[] bytes) throws IOException {
        DataOutputStream out = new DataOutputStream(new FileOutputStream(to)); // expect: unclosed-resource
        out.writeInt(bytes.length);
        out.write(bytes);
        out.flush();
    }

    long sizeOf(File zip, String name) throws IOException {
        ZipFile file = new ZipFile(zip);
        try {
            ZipEntry entry = file.getEntry(name);
            return entry.getSize(); // expect: unchecked-null-result
        } finally {
            file.close();
        }
    }

    long sizeOrNone(File zip, String name) throws IOException {
        try (ZipFile file = new ZipFile(zip)) {
            ZipEntry entry = file.getEntry(name);
            return entry == null ? -1 : entry.getSize();
        }
    }

    long tail(File file) throws IOException {
        try (RandomAccessFile in = new RandomAccessFile(file, "r"); FileChannel c = in.getChannel()) {
            c.position(c.size() / 2);
            return c.position();
        }
    }

    /** Wraps a stream and closes it. */
    static final class Counted implements Closeable {
        private final InputStream in;
        private long count;

        Counted(InputStream in) {
            this.in = in;
        }

        int next() throws IOException {
            int b = in.read();
            if (b >= 0) {
                count++;
            }
            return b;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    long count(File file) throws IOException {
        try (Counted in = new Counted(new FileInputStream(file))) {
            while (in.next() >= 0) {
                // Goes on.
            }
            return in.count;
        }
    }

    long countBadly(File file) throws IOException {
        Counted in = new Counted(new FileInputStream(file)); // expect: unclosed-resource
        while (in.next() >= 0) {
            // Goes on.
        }
        return in.count;
    }

    int afterClose(File file) throws IOException {
        FileInputStream in = new FileInputStream(file); // expect: unclosed-resource
        int first = in.read();
        in.close();
        if (first < 0) {
            return in.available(); // expect: use-after-close
        }
        return first;
    }

    int loop(File[] files) throws IOException {
        int sum = 0;
        for (File file : files) {
            FileInputStream in = new FileInputStream(file); // expect: unclosed-resource
            int b = in.read();
            if (b < 0) {
                continue;
            }
            sum += b;
            in.close();
        }
        return sum;
    }
}
