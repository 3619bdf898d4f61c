import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/** From one form to another. */
public class Converter {
    public byte[] pack(int[] numbers) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (int n : numbers) {
            out.writeInt(n);
        }
        return bytes.toByteArray();
    }

    public int[] unpack(byte[] bytes) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
        int[] all = new int[bytes.length / 4];
        for (int i = 0; i < all.length; i++) {
            all[i] = in.readInt();
        }
        return all;
    }

    public void zip(File f, byte[] data) throws IOException {
        try (GZIPOutputStream out = new GZIPOutputStream(new FileOutputStream(f))) {
            out.write(data);
        }
    }

    public void zipAll(File f, File... files) throws IOException {
        ZipOutputStream out = new ZipOutputStream(new FileOutputStream(f)); // expect: unclosed-resource
        for (File g : files) {
            out.putNextEntry(new ZipEntry(g.getName()));
            out.closeEntry();
        }
        out.finish();
    }

    public void store(Object o, File f) throws IOException {
        FileOutputStream raw = new FileOutputStream(f);
        try (ObjectOutputStream out = new ObjectOutputStream(raw)) {
            out.writeObject(o);
        }
    }

    public void print(File f, String... lines) throws IOException {
        PrintStream p = new PrintStream(f); // expect: unclosed-resource
        for (String l : lines) {
            p.println(l);
        }
        p.flush();
    }

    public long lengthOf(File f) throws IOException {
        RandomAccessFile r = new RandomAccessFile(f, "r");
        long n = -1;
        try {
            n = r.length();
        } finally {
            r.close();
        }
        r.seek(0); // expect: use-after-close
        return n;
    }

    public long entrySize(ZipFile z, String name) {
        ZipEntry e = z.getEntry(name);
        if (e == null || e.isDirectory()) {
            return 0;
        }
        return e.getSize();
    }

    public boolean hasEntry(File f, String name) throws IOException {
        ZipFile z = new ZipFile(f);
        try {
            return z.getEntry(name) != null;
        } finally {
            z.close();
        }
    }

    public boolean isDirectory(File f, String name) throws IOException {
        try (ZipFile z = new ZipFile(f)) {
            return z.getEntry(name).isDirectory(); // expect: unchecked-null-result
        }
    }

    public int sum(File f) throws IOException {
        FileInputStream in = new FileInputStream(f);
        int sum = 0;
        try {
            int b = in.read();
            while (b != -1) {
                sum += b;
                b = in.read();
            }
        } finally {
            in.close();
        }
        return sum;
    }

    public int sumForEver(File f) throws IOException {
        try (FileInputStream in = new FileInputStream(f)) {
            int b = in.read();
            int sum = 0;
            while (b != -1) { // allow: endless-loop
                sum += b;
            }
            return sum;
        }
    }

    public String text(byte[] b, boolean upper) {
        String s = new String(b);
        if (upper) {
            s.toUpperCase(); // expect: ignored-result
        }
        return s;
    }
}
