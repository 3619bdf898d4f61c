import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.concurrent.Callable;

/** What code that is not there throws, and where it goes. */
class Failures {
    private final ClassLoader loader = Failures.class.getClassLoader();
    private int failed;

    private Class<?> load(String name) throws ClassNotFoundException {
        try {
            return Thread.currentThread().getContextClassLoader().loadClass(name);
        } catch (ClassNotFoundException e) {
            return loader.loadClass(name);
        }
    }

    private boolean isThere(String name) {
        try {
            load(name);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    int count(String[] names) {
        int n = 0;
        for (String name : names) {
            if (isThere(name)) {
                n++;
            }
        }
        return n;
    }

    private void step(Runnable r) {
        r.run();
        failed++;
    }

    boolean runs(Runnable r) {
        boolean isDone = false;
        try {
            step(r);
            isDone = true;
        } catch (RuntimeException e) {
            failed = 0;
        }
        if (!isDone) {
            failed++;
        }
        return isDone;
    }

    static SecureRandom random(String name) {
        boolean isWrong = false;
        SecureRandom made = null;
        try {
            made = SecureRandom.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            isWrong = true;
        }
        if (isWrong) {
            made = new SecureRandom();
        }
        return made;
    }

    static byte[] bytes(String text, String encoding) {
        boolean isWrong = false;
        byte[] made = null;
        try {
            made = text.getBytes(encoding);
        } catch (java.io.UnsupportedEncodingException e) {
            isWrong = true;
        }
        return isWrong ? text.getBytes() : made;
    }

    /** The handler behind that of `try (…)` is not come to before the file is closed. */
    static void force(Path path) throws IOException {
        IOException first = null;
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            for (int round = 0; round < 5; round++) {
                try {
                    file.force(true);
                    return;
                } catch (IOException e) {
                    if (first == null) {
                        first = e;
                    }
                    try {
                        Thread.sleep(5);
                    } catch (InterruptedException f) {
                        throw new IllegalStateException(f);
                    }
                }
            }
        } catch (IOException e) {
            if (first == null) {
                first = e;
            }
        }
        throw first;
    }

    static class Connection implements AutoCloseable {
        private final java.util.List<Callable<?>> open = new java.util.ArrayList<>();

        void ask(Callable<?> c) throws Exception {
            open.add(c);
            c.call();
        }

        @Override
        public void close() {
            for (Callable<?> c : open) {
                System.out.println(c);
            }
            open.clear();
        }
    }

    /** That closing fails is not held against anyone. */
    static int closed(Callable<?> c) {
        try (Connection own = new Connection()) {
            own.ask(c);
            return 1;
        } catch (Exception e) {
            return 0;
        }
    }

    static int notClosed(Callable<?> c) {
        try {
            Connection own = new Connection(); // expect: unclosed-resource
            own.ask(c);
            own.close();
            return 1;
        } catch (Exception e) {
            return 0;
        }
    }

    /** A method that is named like one that opens, and gives nothing. */
    abstract static class Reopened extends FileChannel {
        private FileChannel channel;
        private final Path path;

        Reopened(Path path) throws IOException {
            this.path = path;
            open();
        }

        private void open() throws IOException {
            channel = FileChannel.open(path);
        }

        @Override
        protected void implCloseChannel() throws IOException {
            channel.close();
        }
    }
}

/** In a handler for all that is thrown it is not known how far the method had come. */
class Scopes {
    private final int[] sizes = new int[9];

    private void close(int at) {
        sizes[at]--;
    }

    int parse(int at, Runnable first) {
        boolean isOpen = true;
        try {
            first.run();
            isOpen = false;
            close(at);
        } catch (Throwable e) {
            if (isOpen) {
                sizes[0]--;
            }
            throw e;
        }
        return sizes[0];
    }
}
