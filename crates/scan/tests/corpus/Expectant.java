import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.List;

/** Answers that callers may know more of, and sides of tests that nobody expects. */
class Expectant {
    interface Leaf {
        Object accept(Visitor v);
    }

    interface Visitor {
        Object visit(Number n);
    }

    static final class Counting implements Visitor {
        public Object visit(Number n) { return n.intValue() > 2 ? "many" : "few"; }
    }

    static final class Marking implements Visitor {
        private final List<Number> seen = new ArrayList<>();

        public Object visit(Number n) {
            seen.add(n);
            return seen.size() > 9 ? "full" : null;
        }
    }

    static final class Limit implements Leaf {
        public Object accept(Visitor v) { return v.visit(7); }
    }

    /** Of two visitors one answers `null`: who brings it knows which it is. */
    static String label(Limit leaf, Visitor v) {
        return leaf.accept(v).toString();
    }

    static String marked() {
        return new Marking().visit(7).toString(); // expect: null-dereference
    }

    private final List<String> rows = new ArrayList<>();

    private String row(String start) {
        for (String row : rows) {
            if (row.startsWith(start)) {
                return row;
            }
        }
        return null;
    }

    /** Passes on what a search finds, and nobody tests that. */
    String title() { return row("t"); }

    int titleLength() { return title().length(); }

    int rowLength() { return row("u").length(); } // expect: null-dereference

    boolean hasRow(String s) { return row(s) != null; }

    String source() { return row("s"); }

    int sourceLength() { return source().length(); } // expect: null-dereference

    boolean hasSource() { return source() != null; }

    private static String drawn(int n) { return n > 5 ? "drawn" : null; }

    /** Asks no object that may have what is asked for. */
    private static String relayed(int n) { return drawn(n); }

    static int relayedLength(int n) {
        return relayed(n).length(); // expect: null-dereference
    }

    private static String line(Reader in) {
        try {
            return in.read() > 0 ? "line" : "end";
        } catch (IOException e) {
            return null;
        }
    }

    static String header(Reader in) { return line(in); }

    static int headerLength(Reader in) {
        return header(in).length(); // expect: null-dereference
    }

    static IllegalStateException failure(int code) {
        String text = code > 100 ? "far" : code > 10 ? "near" : null;
        return text == null ? null : new IllegalStateException(text);
    }

    static void a(int n) { if (n > 0) throw failure(n); }
    static void b(int n) { if (n > 1) throw failure(n + 1); }
    static void c(int n) { if (n > 2) throw failure(n + 2); }
    static void d(int n) { if (n > 3) throw failure(n + 3); }

    static IllegalStateException other(int code) {
        return code > 10 ? new IllegalStateException() : null;
    }

    static void e(int n) { if (n > 0) throw other(n); } // expect: null-dereference

    /** What is given is of one of these two, or what is said about it is not expected. */
    static int size(Object o) {
        CharSequence text = null;
        if (o instanceof String) {
            text = (String) o;
        } else if (o instanceof StringBuilder) {
            text = (StringBuilder) o;
        }
        return text.length();
    }

    static int told(Object o) {
        String text = null;
        if (o instanceof String) {
            text = (String) o;
        } else {
            new Exception("what is this?").printStackTrace();
        }
        return text.length();
    }

    static int untold(Object o) {
        String text = null;
        if (o instanceof String) {
            text = (String) o;
        }
        return text.length(); // expect: null-dereference
    }

    /** The first round always makes one: no number of a file is negative. */
    static int all(int[] files) {
        int last = -1;
        int sum = 0;
        StringBuilder open = null;
        for (int file : files) {
            if (file != last) {
                last = file;
                open = new StringBuilder();
            }
            sum += open.length();
        }
        return sum;
    }

    static int most(int[] files) {
        int last = 0;
        int sum = 0;
        StringBuilder open = null;
        for (int file : files) {
            if (file != last) {
                last = file;
                open = new StringBuilder();
            }
            sum += open.length(); // expect: null-dereference
        }
        return sum;
    }

    /** `null` is given for one kind only, and looked at as something else for others. */
    static int size(Object value, int kind) {
        if (kind == 1) {
            String text = (String) value;
            return text.length();
        }
        return kind;
    }

    static int none(int kind) { return size(null, kind); }

    static int every(Object value) {
        String text = (String) value;
        return text.length(); // expect: null-dereference
    }

    static int nothing() { return every(null); }

    /** Who gives nothing is told so, and gets nothing. */
    private static String trimmed(String given) {
        if (given == null) {
            System.err.println("nothing given");
            return null;
        }
        return given.trim();
    }

    static int trimmedLength(List<String> all) { return trimmed(all.get(0)).length(); }

    static int trimmedNothing() { return trimmed(null).length(); } // expect: null-dereference
}
