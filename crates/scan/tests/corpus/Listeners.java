import java.util.*;
class Listeners {
    interface Listener { void changed(String s); }
    private List<Listener> all;
    private Listener one;
    private String state;
    void add(Listener l) {
        if (l == null) throw new IllegalArgumentException();
        if (all == null) all = new ArrayList<>();
        all.add(l);
    }
    void remove(Listener l) { if (all != null) all.remove(l); }
    void fire(String s) {
        List<Listener> now = all;
        if (now == null) return;
        for (Listener l : now) l.changed(s);
    }
    void single(Listener l) { one = l; }
    void tell(String s) { if (one != null) one.changed(s); }
    void tellAlways(String s) {
        if (one == null) state = "lost " + s;
        one.changed(s); // expect: null-dereference
    }
    int stateLength() {
        if (state != null && state.length() > 3) return 3;
        return state == null ? 0 : state.length();
    }
    private String last() { return all == null || all.isEmpty() ? null : all.get(all.size() - 1).toString(); }
    boolean isLast(String s) { return last().equals(s); } // expect: null-dereference
    boolean isLastSafe(String s) { return s != null && s.equals(last()); }
    private void check() { if (one == null) throw new IllegalStateException(); }
    void tellChecked(String s) { check(); one.changed(s); }
    private boolean isReady() { return one != null && state != null; }
    int ready() { return isReady() ? state.length() : 0; }
    int notReady() { return isReady() ? 0 : state.length(); }
}
