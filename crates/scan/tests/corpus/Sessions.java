import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Resources of one's own, and those in lambdas. */
class Sessions {
    static class Session implements AutoCloseable {
        private final List<String> log = new ArrayList<>();
        private boolean open = true;

        void send(String text) {
            log.add(text);
        }

        @Override
        public void close() {
            open = false;
            log.clear();
        }
    }

    static class Note implements Closeable {
        final String text;

        Note(String text) {
            this.text = text;
        }

        @Override
        public void close() {
            // nothing is held
        }
    }

    static void sends(String text) {
        try (Session s = new Session()) {
            s.send(text);
        }
    }

    static void sendsAndForgets(String text) {
        Session s = new Session(); // expect: unclosed-resource
        s.send(text);
    }

    static boolean sendsOrNot(String text) {
        Session s = new Session(); // expect: unclosed-resource
        if (text.isEmpty()) {
            return false;
        }
        s.send(text);
        s.close();
        return true;
    }

    static Session opened() {
        Session s = new Session();
        s.send("hello");
        return s;
    }

    static String notes(String text) {
        Note n = new Note(text);
        return n.text;
    }

    static int inLambda(List<File> files) {
        return files.stream().mapToInt(file -> {
            try (InputStream in = new FileInputStream(file)) {
                return in.read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }).sum();
    }

    static int inLambdaLeaks(List<File> files) {
        return files.stream().mapToInt(file -> {
            try {
                InputStream in = new FileInputStream(file); // expect: unclosed-resource
                return in.read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }).sum();
    }

    static <T> T with(File file, Function<InputStream, T> action) throws IOException {
        InputStream in = new FileInputStream(file);
        try {
            return action.apply(in);
        } finally {
            in.close();
        }
    }

    static void closeAll(List<? extends Closeable> all) throws IOException {
        IOException first = null;
        for (Closeable c : all) {
            try {
                c.close();
            } catch (IOException e) {
                if (first == null) {
                    first = e;
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    static byte[] head(File file, int n) throws IOException {
        byte[] data = new byte[n];
        InputStream in = null;
        boolean ok = false;
        try {
            in = new FileInputStream(file);
            int got = in.read(data);
            ok = got == n;
            return data;
        } finally {
            if (in != null) {
                try {
                    in.close();
                } catch (IOException e) {
                    if (ok) {
                        throw e;
                    }
                }
            }
        }
    }

    static void swallowed(File file) {
        try {
            FileInputStream in = new FileInputStream(file); // expect: unclosed-resource
            System.out.println(in.read());
            in.close();
        } catch (IOException e) {
            e.printStackTrace();
        }
    }
}
