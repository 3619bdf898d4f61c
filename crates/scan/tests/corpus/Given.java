import java.util.List;

/** `null` that is handed over: callers know what goes with it. */
class Given {
    private static int size(int kind, String text) {
        if (kind == 3) {
            return text.length();
        }
        return kind;
    }

    static int none(int kind) {
        return size(kind, null);
    }

    private static int always(int kind, String text) {
        int n = text.length(); // expect: null-dereference
        return kind + n;
    }

    static int noneAtAll(int kind) {
        return always(kind, null);
    }

    private static int each(List<String> all, String mark) {
        int n = 0;
        for (String s : all) {
            n += s.length() + mark.length(); // expect: null-dereference
        }
        return n;
    }

    static int noMark(List<String> all) {
        return each(all, null);
    }

    static int three() {
        return of(3, null);
    }

    private static int of(int kind, String text) {
        if (kind == 3) { // expect: decided-branch
            return text.length(); // expect: null-dereference
        }
        return kind;
    }

    private static int sometimes(String text) {
        if (System.nanoTime() % 8 == 0) {
            return text.length(); // expect: null-dereference
        }
        return 0;
    }

    static int byChance() {
        return sometimes(null);
    }

    private static int late(String text) {
        try {
            if (System.nanoTime() % 8 == 0) {
                throw new IllegalStateException();
            }
            return 0;
        } catch (IllegalStateException e) {
            return text.length(); // expect: null-dereference
        }
    }

    static int byChanceAndLate() {
        return late(null);
    }

    private static void check() {
        if (System.nanoTime() % 8 == 0) {
            throw new IllegalStateException();
        }
    }

    private static int afterCheck(String text) {
        try {
            check();
            return 0;
        } catch (IllegalStateException e) {
            return text.length(); // expect: null-dereference
        }
    }

    static int calleeThrows() {
        return afterCheck(null);
    }

    private static int checked() {
        check();
        return 1;
    }

    private static int afterChecked(String text) {
        try {
            return checked();
        } catch (IllegalStateException e) {
            return text.length(); // expect: null-dereference
        }
    }

    static int calleeOfCalleeThrows() {
        return afterChecked(null);
    }

    private static void check(int kind) {
        if (kind == 3) {
            throw new IllegalStateException();
        }
    }

    private static int afterCheckOf(int kind, String text) {
        try {
            check(kind);
            return 0;
        } catch (IllegalStateException e) {
            return text.length();
        }
    }

    static int calleeThrowsIfAsked(int kind) {
        return afterCheckOf(kind, null);
    }

    private static int afterOther(String text) {
        try {
            check();
            return 0;
        } catch (IllegalArgumentException e) {
            return text.length();
        }
    }

    static int calleeThrowsOther() {
        return afterOther(null);
    }

    private static int whenAsked(String text, boolean isAsked) {
        if (isAsked) {
            return text.length();
        }
        return 0;
    }

    static int notAsked(boolean isAsked) {
        return whenAsked(null, isAsked);
    }
}
