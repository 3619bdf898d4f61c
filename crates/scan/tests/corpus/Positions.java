import java.util.*;
class Positions {
    static final class Pos { int line, col; Pos next; }
    private Pos cur = new Pos();
    private Pos saved;
    void save() { saved = cur; }
    void restore() { cur = saved; saved = null; }
    int line() { return cur.line; }
    int restoreLine() {
        restore();
        return saved.line; // expect: null-dereference
    }
    void advance() {
        Pos p = cur.next;
        if (p == null) { p = new Pos(); cur.next = p; }
        cur = p;
    }
    int ahead(int n) {
        Pos p = cur;
        while (n-- > 0 && p != null) p = p.next;
        return p.line; // expect: null-dereference
    }
    int aheadSafe(int n) {
        Pos p = cur;
        while (n-- > 0 && p != null) p = p.next;
        return p == null ? -1 : p.line;
    }
    private Pos lookup(Map<Integer, Pos> m, int k) { return m.get(k); }
    int at(Map<Integer, Pos> m, int k) {
        return lookup(m, k).line; // missed: unchecked-null-result
    }
    int atFirst(Map<Integer, Pos> m) {
        Pos p = lookup(m, 0);
        Pos q = p != null ? p : cur;
        return q.line;
    }
    boolean both(Pos a, Pos b) {
        if (a == null || b == null) return a == b;
        return a.line == b.line && a.col == b.col;
    }
    boolean bothBad(Pos a, Pos b) {
        if (a == null && b == null) return true;
        return a.line == b.line; // missed: null-dereference
    }
    int sum() {
        int n = 0;
        for (Pos p = cur; p != null; p = p.next) n += p.line;
        return n;
    }
}
