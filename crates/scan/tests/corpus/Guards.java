import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** When `null` that a method answers is worth a word, and when callers know better. */
class Guards {
    private static final ThreadLocal<Set<Object>> SEEN = new ThreadLocal<>();

    private static Set<Object> getSeen() {
        return SEEN.get();
    }

    /** What was not there is there afterwards. */
    static void register(Object o) {
        if (getSeen() == null) {
            SEEN.set(new HashSet<>());
        }
        getSeen().add(o);
    }

    private final List<String> open = new ArrayList<>();

    private String pop() {
        return open.isEmpty() ? null : open.remove(open.size() - 1);
    }

    int end() {
        return pop().length();
    }

    int endOfBoth() {
        return pop().length() + pop().length();
    }

    private String last() {
        return open.isEmpty() ? null : open.get(0);
    }

    boolean isLast(String text) {
        return last().equals(text); // expect: null-dereference
    }

    static class Copied implements Cloneable {
        int n;

        Copied copy() {
            Copied c = null;
            try {
                c = (Copied) clone();
            } catch (CloneNotSupportedException e) {
                // It can be copied.
            }
            c.n = n;
            return c;
        }
    }

    private Object parent;

    Guards getParent() {
        return parent instanceof Guards ? (Guards) parent : null;
    }

    int depth() {
        return getParent().limit;
    }

    private static String quoted(String text) {
        return quoted(text, null);
    }

    /** The mark may be missing; the text is given back only if it is. */
    private static String quoted(String text, String mark) {
        if (text == null) {
            return null;
        }
        return mark == null ? text : mark + text + mark;
    }

    static int quotedLength(String text) {
        return quoted(text).length();
    }

    static int quotedNothing() {
        return quoted(null, "'").length(); // expect: null-dereference
    }

    /** It answers `null` just if it is given something. */
    private static String swapped(String text, int n) {
        String answer = "none"; // allow: unused-definition
        if (text != null) {
            answer = null;
        }
        return answer;
    }

    static int swappedLength(StringBuilder b, int n) {
        return swapped(b.toString(), n).length(); // expect: null-dereference
    }

    private static int behindLoops(String text, int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < 2; k++) {
                sum += k;
            }
        }
        return sum + text.length(); // expect: null-dereference
    }

    static int noText(int n) {
        return behindLoops(null, n);
    }

    private static int testedBehindLoops(String text, List<String> all) {
        int sum = 0;
        if (text == null) {
            sum = 1;
        }
        for (String s : all) {
            sum += s.length();
        }
        return sum + text.length(); // expect: null-dereference
    }

    static int tested(String text, List<String> all) {
        return testedBehindLoops(text, all);
    }

    /** Whoever looks for a part knows that it is there. */
    private String part(char mark) {
        for (String s : open) {
            if (s.charAt(0) == mark) {
                return s;
            }
        }
        return null;
    }

    int both() {
        return part('a').length() + part('b').length();
    }

    /** Those who are not sure are as many. */
    private String perhaps(char mark) {
        for (String s : open) {
            if (s.charAt(0) == mark) {
                return s;
            }
        }
        return null;
    }

    int sure() {
        return perhaps('a').length(); // expect: null-dereference
    }

    int unsure() {
        String s = perhaps('b');
        return s == null ? 0 : s.length();
    }

    static String folder(java.io.File file) {
        return file.getParentFile() != null ? file.getParentFile().getPath() : "";
    }

    static String folderOfOther(java.io.File file, java.io.File other) {
        return file.getParentFile() != null ? other.getParentFile().getPath() : ""; // expect: unchecked-null-result
    }

    private final int limit;

    Guards(int limit) {
        this.limit = limit;
    }

    private String getAbove(int bound) {
        for (String s : open) {
            if (s.length() > bound) {
                return s;
            }
        }
        return null;
    }

    /** The same question, given what stays the same. */
    int above() {
        if (getAbove(limit) == null) {
            return 0;
        }
        open.add("x");
        return getAbove(limit).length();
    }
}
