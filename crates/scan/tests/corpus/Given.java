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
}
