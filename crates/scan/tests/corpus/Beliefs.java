import java.util.ArrayList;
import java.util.List;

/** Answers that callers know more of than the code that gives them. */
class Beliefs {
    interface Shape {
        String name();
        Object owner();
    }

    static final class Circle implements Shape {
        public String name() { return "circle"; }
        public Object owner() { return new Object(); }
    }

    static final class Hole implements Shape {
        private final List<String> names = new ArrayList<>();
        public String name() {
            for (String s : names) {
                if (s.length() > 3) {
                    return s;
                }
            }
            return null;
        }
        public Object owner() { return new Object(); }
    }

    /** Who calls it knows which shapes there are. */
    static int length(Shape s) {
        return s.name().length();
    }

    static int lengthOfHole() {
        Hole h = new Hole();
        return h.name().length(); // expect: null-dereference
    }

    private final List<String> rows = new ArrayList<>();

    /** What nobody tests is there. */
    String setting(String key) {
        for (String row : rows) {
            if (row.startsWith(key)) {
                return row;
            }
        }
        return null;
    }

    int a() { return setting("a").length(); }
    int b() { return setting("b").length(); }
    int c() { return setting("c").length(); }
    boolean d() { return setting("d").isEmpty(); }
    boolean e() { return setting("e") == null; }

    /** What most test may be missing. */
    String option(String key) {
        for (String row : rows) {
            if (row.endsWith(key)) {
                return row;
            }
        }
        return null;
    }

    int f() { return option("a").length(); } // expect: null-dereference
    int g() { return option("b") == null ? 0 : 1; }
    int h() { String s = option("c"); return s != null ? s.length() : 0; }

    private static String reject(String why) {
        throw new IllegalArgumentException(why);
    }

    static String digit(int n) {
        switch (n) {
            case 0: return "zero";
            case 1: return "one";
            default:
                reject("no digit");
                return null;
        }
    }

    static int digits(int n) {
        return digit(n).length();
    }

    static String at(String[] all, int n) {
        if (n < 0 || n >= all.length) {
            return null;
        }
        return all[n];
    }

    static int known(String[] all) {
        int sum = 0;
        for (int i = 0; i < all.length; i++) {
            sum += at(all, i).length();
        }
        return sum;
    }
}
