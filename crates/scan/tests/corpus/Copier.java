import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/** Copies files, with helpers that close. */
public class Copier {
    private final List<Closeable> owned = new ArrayList<>();
    private int copied;

    static void close(Closeable... all) {
        for (Closeable c : all) {
            if (c != null) {
                try {
                    c.close();
                } catch (IOException e) {
                    // nothing can be done
                }
            }
        }
    }

    static void closeOne(Closeable c) throws IOException {
        if (c != null) {
            c.close();
        }
    }

    private <T extends Closeable> T own(T t) {
        owned.add(t);
        return t;
    }

    public void copy(File a, File b) throws IOException {
        InputStream in = null;
        OutputStream out = null;
        try {
            in = new FileInputStream(a);
            out = new FileOutputStream(b);
            in.transferTo(out);
        } finally {
            close(in, out);
        }
    }

    public void copyOwned(File a, File b) throws IOException {
        InputStream in = own(new FileInputStream(a));
        OutputStream out = own(new FileOutputStream(b));
        in.transferTo(out);
    }

    public void copyWrong(File a, File b) throws IOException {
        InputStream in = null;
        OutputStream out = null;
        try {
            in = new FileInputStream(a);
            out = new FileOutputStream(b); // expect: unclosed-resource
            in.transferTo(out);
            copied++;
        } finally {
            closeOne(in);
        }
    }

    public int head(File a) throws IOException {
        InputStream in = new FileInputStream(a);
        try {
            return in.read();
        } finally {
            closeOne(in);
        }
    }

    public int headLate(File a) throws IOException {
        InputStream in = new FileInputStream(a);
        closeOne(in);
        return in.read(); // expect: use-after-close
    }

    public int headIf(File a, boolean keep) throws IOException {
        InputStream in = new FileInputStream(a); // expect: unclosed-resource
        int n = in.read();
        if (!keep) {
            closeOne(in);
        }
        return n;
    }

    public InputStream checked(File a) throws IOException {
        InputStream in = new FileInputStream(a);
        boolean ok = false;
        try {
            if (in.read() != 'M') {
                throw new IOException("bad file");
            }
            ok = true;
            return in;
        } finally {
            if (!ok) {
                in.close();
            }
        }
    }

    public InputStream checkedWrong(File a) throws IOException {
        InputStream in = new FileInputStream(a); // expect: unclosed-resource
        if (in.read() != 'M') {
            throw new IOException("bad file");
        }
        return in;
    }

    public void finish() throws IOException {
        for (Closeable c : owned) {
            c.close();
        }
        owned.clear();
    }

    public void delete(File a) {
        boolean done = a.delete();
        if (!done) {
            a.deleteOnExit();
        }
    }
}
