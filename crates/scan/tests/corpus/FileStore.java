import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Objects in files. */
public class FileStore {
    private final File folder;

    public FileStore(File folder) {
        this.folder = folder;
    }

    public void save(String name, Object o) throws IOException {
        try (ObjectOutputStream out = new ObjectOutputStream(new FileOutputStream(new File(folder, name)))) {
            out.writeObject(o);
        }
    }

    public Object load(String name) throws IOException, ClassNotFoundException {
        ObjectInputStream in = new ObjectInputStream(new FileInputStream(new File(folder, name))); // expect: unclosed-resource
        Object o = in.readObject();
        in.close();
        return o;
    }

    public static void copy(InputStream in, OutputStream out) throws IOException {
        byte[] buffer = new byte[8192];
        int n;
        while ((n = in.read(buffer)) > 0) {
            out.write(buffer, 0, n);
        }
    }

    public static byte[] bytes(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        copy(in, out);
        return out.toByteArray();
    }

    public byte[] first(String name) throws IOException {
        byte[] head = new byte[16];
        try (FileInputStream in = new FileInputStream(new File(folder, name))) {
            in.read(head); // expect: ignored-result
        }
        return head;
    }

    public byte[] unzip(String name) throws IOException {
        try (InputStream in = new GZIPInputStream(new FileInputStream(new File(folder, name)))) {
            return bytes(in);
        }
    }

    public byte[] entry(String archive, String name) throws IOException {
        try (ZipFile zip = new ZipFile(archive)) {
            ZipEntry e = zip.getEntry(name);
            if (e == null) {
                return null;
            }
            try (InputStream in = zip.getInputStream(e)) {
                return bytes(in);
            }
        }
    }

    public long entrySize(String archive, String name) throws IOException {
        try (ZipFile zip = new ZipFile(archive)) {
            ZipEntry e = zip.getEntry(name);
            return e.getSize(); // expect: unchecked-null-result
        }
    }

    public int at(String name, long place) throws IOException {
        RandomAccessFile f = new RandomAccessFile(new File(folder, name), "r");
        try {
            f.seek(place);
            return f.read();
        } finally {
            f.close();
        }
    }

    public int atLate(String name, long place) throws IOException {
        RandomAccessFile f = new RandomAccessFile(new File(folder, name), "r");
        try {
            f.seek(place);
        } finally {
            f.close();
        }
        return f.read(); // expect: use-after-close
    }

    public boolean replace(String from, String to) {
        File a = new File(folder, from);
        File b = new File(folder, to);
        a.renameTo(b); // expect: ignored-result
        return b.exists();
    }

    public void touch(String name) throws IOException {
        new File(folder, name).createNewFile(); // expect: ignored-result
    }

    public String both(String a, String b) throws IOException {
        InputStream one = new FileInputStream(a); // expect: unclosed-resource
        InputStream two = new FileInputStream(b);
        try {
            return new String(bytes(one)) + new String(bytes(two));
        } finally {
            two.close();
            one.close();
        }
    }

    public String bothRight(String a, String b) throws IOException {
        try (InputStream one = new FileInputStream(a); InputStream two = new FileInputStream(b)) {
            return new String(bytes(one)) + new String(bytes(two));
        }
    }
}
