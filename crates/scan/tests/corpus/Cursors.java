import java.util.*;
class Cursors {
    private class Cursor {
        int at;
        String here() { return at < rows.size() ? rows.get(at) : null; }
        void move() { at++; }
    }
    private final List<String> rows = new ArrayList<>();
    private Cursor cursor;
    void open() { cursor = new Cursor(); }
    String read() {
        if (cursor == null) open();
        String s = cursor.here();
        cursor.move();
        return s;
    }
    int readLength() {
        return read().length(); // missed: null-dereference
    }
    int readAll() {
        int n = 0;
        for (String s = read(); s != null; s = read()) n += s.length();
        return n;
    }
    void close() { cursor = null; }
    int afterClose() {
        close();
        return cursor.at; // expect: null-dereference
    }
    int afterOpen() {
        open();
        return cursor.at;
    }
    static Comparator<String> order(Comparator<String> given) {
        Comparator<String> c = given;
        if (c == null) c = Comparator.naturalOrder();
        return c.reversed();
    }
    static String local(boolean b) {
        class Box { String s; Box(String s) { this.s = s; } }
        Box x = b ? new Box("a") : null;
        if (b) return x.s;
        return "";
    }
    static String localBad(boolean b, boolean c) {
        class Box { String s; Box(String s) { this.s = s; } }
        Box x = b ? new Box("a") : null;
        if (c) return x.s; // expect: null-dereference
        return "";
    }
}
