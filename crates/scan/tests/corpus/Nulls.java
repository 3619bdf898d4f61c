import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** References that may be null, and tests of them. */
class Nulls {
    private final Map<String, String> names = new HashMap<>();
    private String cached;
    private Node head;

    static class Node {
        Node next;
        String text;

        Node(String text, Node next) {
            this.text = text;
            this.next = next;
        }
    }

    static int direct() {
        String s = null;
        return s.length(); // expect: null-dereference
    }

    static int onePath(int n) {
        String s = null;
        if (n > 3) {
            s = "big";
        }
        return s.length(); // expect: null-dereference
    }

    static int correlated(int n) {
        String s = null;
        if (n > 3) {
            s = "big";
        }
        if (n > 3) {
            return s.length();
        }
        return 0;
    }

    static int flag(List<String> all) {
        String found = null;
        boolean has = false;
        for (String s : all) {
            if (s.startsWith("x")) {
                found = s;
                has = true;
            }
        }
        return has ? found.length() : 0;
    }

    static int notFound(List<String> all) {
        String found = null;
        for (String s : all) {
            if (s.startsWith("x")) {
                found = s;
                break;
            }
        }
        return found.length(); // expect: null-dereference
    }

    static int tested(String s) {
        if (s == null) {
            System.out.println("nothing");
        }
        return s.length(); // expect: null-dereference
    }

    static int testedRight(String s) {
        if (s == null) {
            throw new IllegalArgumentException("s");
        }
        return s.length();
    }

    static int wrongOperator(String s) {
        if (s != null || s.length() > 0) { // expect: null-dereference
            return 1;
        }
        return 0;
    }

    static int rightOperator(String s) {
        if (s != null && s.length() > 0) {
            return 1;
        }
        return 0;
    }

    private static boolean isBlank(String s) {
        return s == null || s.trim().isEmpty();
    }

    static int byHelper(String s) {
        if (isBlank(s)) {
            return 0;
        }
        return s.length();
    }

    static int byWrongHelper(String s) {
        if (!isBlank(s)) {
            return 0;
        }
        return s.length(); // allow: null-dereference
    }

    private static void check(Object o, String what) {
        if (o == null) {
            throw new IllegalStateException(what);
        }
    }

    static int byCheck(String s) {
        String t = s == null ? null : s.trim();
        check(t, "s");
        return t.length();
    }

    static int required(String s) {
        String t = s.isEmpty() ? null : s;
        return Objects.requireNonNull(t).length();
    }

    static int asserted(Map<String, Node> m) {
        Node n = m.get("a");
        assert n != null;
        return n.text.length();
    }

    String cached() {
        if (cached == null) {
            cached = names.getOrDefault("x", "y");
        }
        return cached.trim();
    }

    void clear() {
        cached = null;
    }

    int cleared() {
        cached = null;
        return cached.length(); // expect: null-dereference
    }

    private String lookup(String key) {
        if (key.isEmpty()) {
            return null;
        }
        return key.trim();
    }

    int lookedUp(String key) {
        return lookup(key).length(); // expect: null-dereference
    }

    int lookedUpRight(String key) {
        String value = lookup(key);
        return value == null ? 0 : value.length();
    }

    int loop(String text) {
        Node at = head;
        while (at != null && !at.text.equals(text)) {
            at = at.next;
        }
        return at.text.length(); // expect: null-dereference
    }

    int loopRight(String text) {
        Node at = head;
        while (at != null && !at.text.equals(text)) {
            at = at.next;
        }
        return at == null ? -1 : at.text.length();
    }

    static int caught(String s) {
        String t = null;
        try {
            t = s.substring(1);
        } catch (RuntimeException e) {
            System.err.println("bad");
        }
        return t.length(); // expect: null-dereference
    }

    static int caughtRight(String s) {
        String t;
        try {
            t = s.substring(1);
        } catch (RuntimeException e) {
            t = "";
        }
        return t.length();
    }

    static String optional(Optional<String> o) {
        return o.map(String::trim).orElse("");
    }

    static int optionalNull(Optional<String> o) {
        String s = o.orElse(null);
        return s == null ? 0 : s.length();
    }

    static int instance(Object o) {
        if (o instanceof String) {
            return ((String) o).length();
        }
        return o == null ? 0 : o.hashCode();
    }

    static int late(String s) {
        int n = s.length();
        if (s == null) { // expect: null-check-after-use
            return 0;
        }
        return n;
    }

    static int switched(int kind) {
        String name = null;
        switch (kind) {
            case 1:
                name = "one";
                break;
            case 2:
                name = "two";
                break;
            default:
                break;
        }
        return name.length(); // expect: null-dereference
    }

    static int switchedRight(int kind) {
        String name = null;
        switch (kind) {
            case 1:
                name = "one";
                break;
            case 2:
                name = "two";
                break;
            default:
                throw new IllegalArgumentException();
        }
        return name.length();
    }

    static int passed(boolean b) {
        return measure(b ? "a" : null);
    }

    private static int measure(String s) {
        return s.length(); // expect: null-dereference
    }

    static int array(boolean b) {
        int[] all = null;
        if (b) {
            all = new int[3];
        }
        return all[0]; // expect: null-dereference
    }

    static void sync(Object o) {
        Object lock = o == null ? null : o;
        synchronized (lock) { // expect: null-dereference
            System.out.println("in");
        }
    }

    static int unboxed(Map<String, Integer> m) {
        Integer n = null;
        if (m.isEmpty()) {
            n = 3;
        }
        return n; // expect: null-dereference
    }

    static int ternary(String s) {
        int n = s != null ? s.length() : -1;
        return n < 0 ? 0 : n;
    }

    static int thrown(String s) {
        if (s == null) {
            fail("no text");
        }
        return s.length();
    }

    private static void fail(String message) {
        throw new IllegalStateException(message);
    }

    static int bothNull(Node a, Node b) {
        if (a == null && b == null) {
            return 0;
        }
        if (a == null || b == null) {
            return 1;
        }
        return a.text.compareTo(b.text);
    }

    static boolean same(Node a, Node b) {
        if (a == b) {
            return true;
        }
        return a != null && b != null && a.text.equals(b.text);
    }

    static int doWhile(Node n) {
        int count = 0;
        do {
            count++;
            n = n.next;
        } while (n != null);
        return count;
    }
}
