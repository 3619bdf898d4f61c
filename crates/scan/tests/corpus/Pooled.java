import java.util.*;
class Pooled {
    static class Pool {
        private final Deque<StringBuilder> free = new ArrayDeque<>();
        StringBuilder take() { StringBuilder b = free.poll(); return b != null ? b : new StringBuilder(); }
        StringBuilder takeIfAny() { return free.poll(); }
        void give(StringBuilder b) { b.setLength(0); free.push(b); }
    }
    private final Pool pool = new Pool();
    String join(List<String> all) {
        StringBuilder b = pool.take();
        for (String s : all) b.append(s);
        String r = b.toString();
        pool.give(b);
        return r;
    }
    String joinBad(List<String> all) {
        StringBuilder b = pool.takeIfAny();
        for (String s : all) b.append(s); // missed: unchecked-null-result
        return "";
    }
    int last(Deque<String> d) {
        return d.peekLast().length(); // expect: unchecked-null-result
    }
    int lastOr(Deque<String> d) {
        String s = d.peekLast();
        return s != null ? s.length() : 0;
    }
    int lastAsked(Deque<String> d) {
        return d.isEmpty() ? 0 : d.peekLast().length();
    }
    String low(TreeMap<Integer, String> m, int k) {
        Map.Entry<Integer, String> e = m.floorEntry(k);
        return e.getValue(); // missed: unchecked-null-result
    }
    String lowSafe(TreeMap<Integer, String> m, int k) {
        Map.Entry<Integer, String> e = m.floorEntry(k);
        if (e == null) e = m.firstEntry();
        return e == null ? null : e.getValue();
    }
}
