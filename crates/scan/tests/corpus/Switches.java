/** Choices: expressions, patterns, old ones. */
class Switches {
    enum Color { RED, GREEN, BLUE }
    sealed interface Shape permits Circle, Square {}
    record Circle(double r) implements Shape {}
    record Square(double s, String name) implements Shape {}
    static String label(Color c) { return switch (c) { case RED -> "r"; case GREEN -> "g"; case BLUE -> null; }; }
    int bad(Color c) { return label(c).length(); } // allow: null-dereference
    static int code(String s) { return switch (s) { case "a" -> 1; case "b" -> 2; default -> { if (s.isEmpty()) yield 0; yield 3; } }; }
    double area(Shape s) {
        if (s instanceof Circle c) return c.r() * c.r();
        if (s instanceof Square q) return q.s() * q.s();
        throw new IllegalStateException();
    }
    int patternBad(Object o) {
        String s = o instanceof String t ? t : null;
        return s.length(); // expect: null-dereference
    }
    int patternOk(Object o) { if (!(o instanceof String t) || t.isEmpty()) return 0; return t.length(); }
    int old(int k) {
        String s = null;
        switch (k) { case 1: s = "a"; break; case 2: s = "bb"; break; }
        return s.length(); // expect: null-dereference
    }
    int oldOk(int k) {
        String s;
        switch (k) { case 1: s = "a"; break; case 2: s = "bb"; break; default: s = ""; }
        return s.length();
    }
    int fallThrough(int k) {
        String s = null;
        switch (k) { case 1: s = "a"; case 2: if (s != null) return s.length(); break; default: return 0; }
        return 1;
    }
    int decided(int k) {
        int n = 4;
        if (k > 0) n = 6;
        if (n < 3) return 1; // expect: decided-branch
        return n;
    }
    int notDecided(int k) { int n = 4; while (k-- > 0) n--; if (n < 3) return 1; return n; }
    boolean range(int k) { return k > 3 && k < 2; } // expect: decided-branch
    boolean rangeOk(int k) { return k > 2 && k < 5; }
    static int day(int d) { return switch (d) { case 1, 7 -> 0; case 2, 3, 4, 5, 6 -> 1; default -> throw new IllegalArgumentException(); }; }
}

/** A choice of several cases that leaves nothing out, as those who wrote it think. */
class Operators {
    static int apply(int op, int a, int b) {
        Integer result = null;
        switch (op) {
            case 11:
                result = Integer.valueOf(a & b);
                break;
            case 9:
                result = Integer.valueOf(a | b);
                break;
            case 10:
                result = Integer.valueOf(a ^ b);
                break;
            case 18:
                result = Integer.valueOf(a << b);
                break;
        }
        return result.intValue();
    }

    static int some(int op, int a) {
        Integer result = null;
        switch (op) {
            case 11:
                result = Integer.valueOf(a);
                break;
            case 9:
                result = Integer.valueOf(-a);
                break;
        }
        return result.intValue(); // expect: null-dereference
    }

    static int forgotten(int op, int a) {
        Integer result = null;
        switch (op) {
            case 1:
                result = Integer.valueOf(a);
                break;
            case 2:
                System.out.println(a);
                break;
            case 3:
                result = Integer.valueOf(-a);
                break;
            case 4:
                result = Integer.valueOf(a + 1);
                break;
        }
        return result.intValue(); // expect: null-dereference
    }

    static int other(int op, int a) {
        Integer result;
        switch (op) {
            case 1:
                result = Integer.valueOf(a);
                break;
            case 2:
                result = Integer.valueOf(a - 1);
                break;
            case 3:
                result = Integer.valueOf(-a);
                break;
            case 4:
                result = Integer.valueOf(a + 1);
                break;
            default:
                result = null;
        }
        return result.intValue(); // expect: null-dereference
    }
}
