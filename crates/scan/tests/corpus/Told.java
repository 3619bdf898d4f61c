import java.util.*;

/** What one answer says of another, and what callers know by what they give. */
class Told {
    private final Map<String, Object> all = new HashMap<>();
    private Told parent;
    private static boolean quiet = false;

    /** Reads more than a field, so that it is not just one. */
    protected Object getExpected() {
        Object found = all.get("expected");
        if (found == null || found == this) return null;
        return found;
    }

    boolean expects() {
        return getExpected() != null;
    }

    boolean lacks() {
        return getExpected() == null;
    }

    String expectedText() {
        return expects() ? getExpected().toString() : "";
    }

    String lackedText() {
        return lacks() ? getExpected().toString() : ""; // expect: null-dereference
    }

    static byte[] bytes(Object o) {
        if (!(o instanceof String)) return null;
        return ((String) o).getBytes();
    }

    static int length(String s) {
        return bytes(s).length;
    }

    static byte[] found(List<byte[]> all, int size) {
        for (byte[] it : all) if (it.length == size) return it;
        return null;
    }

    static int foundLength(List<byte[]> all) {
        return found(all, 3).length; // expect: null-dereference
    }

    String parentText() {
        String text = null;
        if (parent != null) text = parent.expectedText();
        return text;
    }

    int parentLength() {
        return parentText().length();
    }

    static String chosen(boolean first) {
        String text = null;
        if (Math.random() > 0.5) text = "x";
        return text;
    }

    static int chosenLength() {
        return chosen(true).length(); // expect: null-dereference
    }

    static int place(Object[] all, Object wanted) {
        Object found = null;
        if (wanted instanceof String) found = wanted;
        for (int i = 0; i < all.length; i++) if (found == all[i]) return found.hashCode();
        return -1;
    }

    private static Told nearest(Told it) {
        return it.all.isEmpty() ? it.parent : it;
    }

    static boolean isNear(Told it) {
        Told near = nearest(it);
        if (near == null) return it.all.isEmpty();
        return true;
    }

    private static Told self(Told it) {
        return it.all.isEmpty() ? null : it;
    }

    static Object selfText(Told it) {
        if (self(it) == null) return it.all;
        return it;
    }

    static void say(String s) {
        if (quiet) System.out.println(s); // expect: decided-branch
    }

    static int sizes(boolean in, boolean out) {
        if (in == out) throw new IllegalArgumentException();
        Map<String, Object> given = in ? new HashMap<>() : null;
        return out ? 0 : given.size();
    }

    static int sizesOfBoth(boolean in, boolean out) {
        if (in == out) return 0;
        Map<String, Object> given = in ? new HashMap<>() : null;
        return out ? given.size() : 1; // expect: null-dereference
    }

    static String cause(Throwable t) {
        for (Throwable it = t; it != null; it = it.getCause()) {
            if (it instanceof RuntimeException) return "";
        }
        return t.getMessage();
    }

    static String lastCause(Throwable t) {
        Throwable it = t;
        while (it != null) it = it.getCause();
        return it.getMessage(); // expect: null-dereference
    }

    static Told copy(Told it) {
        if (it == null) return null;
        Told made = new Told();
        made.parent = it.parent;
        if (it.parent != null) made.parent.add(copy(it.parent));
        return made;
    }

    void add(Told it) {
        all.put("told", it.all);
    }

    /** Elements two by two: who asks for more is told so. */
    static class Pairs implements Iterator<String> {
        private final Iterator<String> of;
        private String next;
        Pairs(Iterator<String> of) { this.of = of; }
        public boolean hasNext() {
            if (next != null) return true;
            if (!of.hasNext()) return false;
            next = of.next() + of.next();
            return true;
        }
        public String next() {
            if (!hasNext()) throw new NoSuchElementException();
            String it = next;
            next = null;
            return it;
        }
    }
}
