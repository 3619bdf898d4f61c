import java.io.*;
import java.util.*;
class Sources1 {
    static class Source implements AutoCloseable {
        private final Scanner in;
        Source(File f) throws FileNotFoundException { in = new Scanner(f); }
        boolean more() { return in.hasNextLine(); }
        String line() { return in.nextLine(); }
        @Override public void close() { in.close(); }
    }
    static int lines(File f) throws IOException {
        int n = 0;
        try (Source s = new Source(f)) {
            while (s.more()) { s.line(); n++; }
        }
        return n;
    }
    static String head(File f) throws IOException {
        Source s = new Source(f); // expect: unclosed-resource
        if (!s.more()) return "";
        String l = s.line();
        s.close();
        return l;
    }
    static Source twice(File f) throws IOException {
        Source s = new Source(f);
        s.close();
        return s;
    }
    static String both(File a, File b) throws IOException {
        try (Source x = new Source(a)) {
            if (!x.more()) return null;
            try (Source y = new Source(b)) {
                return y.more() ? x.line() + y.line() : null;
            }
        }
    }
    static int width(File a, File b) throws IOException {
        return both(a, b).length(); // expect: null-dereference
    }
    static List<Source> all(List<File> files) throws IOException {
        List<Source> all = new ArrayList<>();
        for (File f : files) all.add(new Source(f));
        return all;
    }
    static void field(File f) throws IOException { new Source(f).more(); } // expect: unclosed-resource
}
