import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;

/** Streams of one's own around those of the library. */
class Decorators {
    /** Closes what it keeps, since what it extends does. */
    static class Counting extends FilterInputStream {
        long count;

        Counting(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            int b = super.read();
            if (b >= 0) {
                count++;
            }
            return b;
        }
    }

    static class Upper extends InputStream {
        private final InputStream in;

        Upper(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            return Character.toUpperCase(in.read());
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    long size(File f) throws IOException {
        Counting c = new Counting(new FileInputStream(f)); // expect: unclosed-resource
        while (c.read() >= 0) {
            continue;
        }
        return c.count;
    }

    int ready(File f) throws IOException {
        Upper u = new Upper(new FileInputStream(f)); // expect: unclosed-resource
        return u.available();
    }

    long sizeRight(File f) throws IOException {
        Counting c = new Counting(new FileInputStream(f));
        try {
            while (c.read() >= 0) {
                continue;
            }
            return c.count;
        } finally {
            c.close();
        }
    }

    int first(File f) throws IOException {
        try (InputStream in = new Upper(new Counting(new FileInputStream(f)))) {
            return in.read();
        }
    }

    int firstOfText(File f) throws IOException {
        Reader r = new InputStreamReader(new Upper(new FileInputStream(f)));
        try {
            return r.read();
        } finally {
            r.close();
        }
    }

    InputStream open(File f) throws IOException {
        return new BufferedInputStream(new Counting(new FileInputStream(f)));
    }

    int ofMemory(byte[] b) throws IOException {
        return new Upper(new ByteArrayInputStream(b)).read();
    }

    int ofGiven(InputStream in) throws IOException {
        return new Counting(in).read();
    }

    int closedByOwner(File f) throws IOException {
        try (InputStream in = new FileInputStream(f)) {
            Upper u = new Upper(in);
            return u.read();
        }
    }
}
