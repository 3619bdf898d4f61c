import java.io.BufferedReader;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;

/** Streams that are used after they were closed. */
class Closed {
    static int afterClose(String name) throws IOException {
        FileReader in = new FileReader(name);
        in.close();
        return in.read(); // expect: use-after-close
    }

    static String afterTry(String name) throws IOException {
        BufferedReader in = new BufferedReader(new FileReader(name));
        try {
            in.readLine();
        } finally {
            in.close();
        }
        return in.readLine(); // expect: use-after-close
    }

    static void closedInLoop(FileWriter out, String[] lines) throws IOException {
        for (String line : lines) {
            out.write(line); // expect: use-after-close
            if (line.isEmpty()) {
                out.close();
            }
        }
    }

    static void closedAndLeft(FileWriter out, String[] lines) throws IOException {
        for (String line : lines) {
            if (line.isEmpty()) {
                out.close();
                break;
            }
            out.write(line);
        }
    }

    static void closedTwice(Writer out) throws IOException {
        out.close();
        out.close();
    }

    private static void finish(Reader in) throws IOException {
        in.close();
    }

    static int byHelper(String name) throws IOException {
        FileReader in = new FileReader(name);
        finish(in);
        return in.read(); // expect: use-after-close
    }

    static int reopened(String name) throws IOException {
        FileReader in = new FileReader(name);
        in.close();
        in = new FileReader(name);
        try {
            return in.read();
        } finally {
            in.close();
        }
    }

    static int maybe(FileReader in, boolean done) throws IOException {
        if (done) {
            in.close();
        }
        if (!done) {
            return in.read();
        }
        return -1;
    }

    static int maybeWrong(FileReader in, boolean done) throws IOException {
        if (done) {
            in.close();
        }
        return in.read(); // expect: use-after-close
    }
}

/** A reader of one's own: what is wrong is the call, and not the method that reads. */
class Tokens implements java.io.Closeable {
    private final Reader in;
    private int pos;

    Tokens(String name) throws IOException {
        this.in = new BufferedReader(new FileReader(name));
    }

    int next() throws IOException {
        int c = in.read();
        pos += c < 0 ? 0 : 1;
        return c;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }

    static int after(String name) throws IOException {
        Tokens tokens = new Tokens(name);
        try {
            tokens.next();
        } finally {
            tokens.close();
        }
        return tokens.next(); // expect: use-after-close
    }
}
