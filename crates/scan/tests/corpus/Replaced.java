import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;

/** Fields that hold one stream after the other. */
class Replaced implements Closeable {
    private final Iterator<InputStream> rest;
    private InputStream in;

    Replaced(Iterator<InputStream> rest) {
        this.rest = rest;
    }

    private void advance() throws IOException {
        close();
        if (rest.hasNext()) {
            in = rest.next();
        }
    }

    int read() throws IOException {
        while (in != null) {
            int result = in.read();
            if (result != -1) {
                return result;
            }
            advance();
        }
        return -1;
    }

    int readTooLate() throws IOException {
        in.close();
        return in.read(); // expect: use-after-close
    }

    @Override
    public void close() throws IOException {
        if (in != null) {
            try {
                in.close();
            } finally {
                in = null;
            }
        }
    }
}
