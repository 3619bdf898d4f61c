import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** Resources that are handed on: fields, lists, lambdas, inner and anonymous classes. */
class Layers implements Closeable {
    private final InputStream in;
    private final List<Closeable> all = new ArrayList<>();
    private Writer log;

    Layers(File file) throws IOException {
        this.in = new FileInputStream(file);
    }

    Layers(InputStream in) {
        this.in = in;
    }

    static Layers open(File file) throws IOException {
        return new Layers(new FileInputStream(file));
    }

    @Override
    public void close() throws IOException {
        in.close();
        for (Closeable it : all) {
            it.close();
        }
        if (log != null) {
            log.close();
        }
    }

    void add(File file) throws IOException {
        FileInputStream more = new FileInputStream(file);
        all.add(more);
    }

    void logTo(File file) throws IOException {
        log = new FileWriter(file);
    }

    void logOnce(File file, String text) throws IOException {
        Writer out = new FileWriter(file); // expect: unclosed-resource
        out.write(text);
    }

    void printed(File file, Consumer<PrintWriter> body) throws IOException {
        try (PrintWriter out = new PrintWriter(new FileWriter(file))) {
            body.accept(out);
        }
    }

    <T> T with(File file, Function<InputStream, T> body) throws IOException {
        InputStream own = new FileInputStream(file);
        try {
            return body.apply(own);
        } finally {
            own.close();
        }
    }

    static int first(File file) throws IOException {
        Layers layers = open(file); // expect: unclosed-resource
        return layers.in.read();
    }

    static int firstWell(File file) throws IOException {
        try (Layers layers = open(file)) {
            return layers.in.read();
        }
    }

    Runnable closer(File file) throws IOException {
        final InputStream own = new FileInputStream(file);
        return new Runnable() {
            @Override
            public void run() {
                try {
                    own.close();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
    }

    class Part {
        private final Writer out;

        Part(File file) throws IOException {
            out = new FileWriter(file);
            all.add(out);
        }

        void write(String text) throws IOException {
            out.write(text);
        }
    }

    Runnable writes(File file) {
        return () -> {
            try {
                Writer out = new FileWriter(file); // expect: unclosed-resource
                out.write("x");
            } catch (IOException e) {
                System.err.println(e);
            }
        };
    }

    boolean isEmpty(File file) {
        InputStream own = null;
        try {
            own = new FileInputStream(file);
            return own.read() < 0;
        } catch (IOException e) {
            return true;
        } finally {
            if (own != null) {
                try {
                    own.close();
                } catch (IOException e) {
                    System.err.println(e);
                }
            }
        }
    }

    boolean isEmptyBadly(File file) {
        InputStream own = null;
        try {
            own = new FileInputStream(file);
            return own.read() < 0;
        } catch (IOException e) {
            return true;
        } finally {
            try {
                own.close(); // expect: null-dereference
            } catch (IOException e) {
                System.err.println(e);
            }
        }
    }

    void exits(File file, int status) throws IOException {
        FileWriter out = new FileWriter(file); // allow: unclosed-resource
        out.write("x");
        System.exit(status);
    }
}
