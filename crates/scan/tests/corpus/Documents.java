import java.util.*;
class Documents {
    enum State { NEW, OPEN, CLOSED }
    private State state = State.NEW;
    private StringBuilder text;
    void open() {
        if (state != State.NEW) throw new IllegalStateException();
        text = new StringBuilder();
        state = State.OPEN;
    }
    void add(String s) {
        if (state != State.OPEN) throw new IllegalStateException();
        text.append(s);
    }
    String close() {
        if (state == State.OPEN) {
            state = State.CLOSED;
            String s = text.toString();
            text = null;
            return s;
        }
        return null;
    }
    static int size(String... parts) {
        Documents d = new Documents();
        d.open();
        for (String p : parts) d.add(p);
        String s = d.close();
        return s == null ? 0 : s.length();
    }
    static int fresh() {
        Documents d = new Documents();
        return d.text.length(); // missed: null-dereference
    }
    static int flag(String s, boolean upper) {
        String u = null;
        if (upper) u = s.toUpperCase();
        int n = s.length();
        if (n > 3 && upper) n += u.length();
        return n;
    }
    static int flagBad(String s, boolean upper) {
        String u = null;
        if (upper) u = s.toUpperCase();
        int n = s.length();
        if (n > 3 || upper) n += u.length(); // expect: null-dereference
        return n;
    }
    static int count(String s) {
        int n = 0;
        String t = null;
        for (int i = 0; i < 3; i++) { t = s + i; n += i; }
        return n + t.length();
    }
    static int count(String s, int k) {
        String t = null;
        for (int i = 0; i < k; i++) t = s + i;
        if (k > 0) return t.length();
        return 0;
    }
}
