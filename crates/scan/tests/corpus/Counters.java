import java.util.*;
/** Synchronized blocks. */
class Counters {
    private final Object a = new Object(), b = new Object();
    private final List<String> log = new LinkedList<>();
    private boolean ready;
    private int n;
    void one() { synchronized (a) { synchronized (b) { n++; } } } // expect: lock-order
    void other() { synchronized (b) { synchronized (a) { n--; } } } // expect: lock-order
    int get() { synchronized (a) { return n; } }
    synchronized void await() throws InterruptedException {
        while (!ready) wait();
    }
    synchronized void awaitBadly() throws InterruptedException {
        if (!ready) wait(); // expect: wait-outside-loop
        n = 0;
    }
    synchronized void done() { ready = true; notifyAll(); }
    String last() {
        synchronized (log) {
            return log.isEmpty() ? null : log.get(log.size() - 1);
        }
    }
    int lastLength() {
        String s = last();
        return s == null ? 0 : s.length();
    }
    void say(Object what) {
        String text = null;
        synchronized (log) {
            if (what != null) text = what.toString();
            log.add(text.trim()); // expect: null-dereference
        }
    }
    void saySafe(Object what) {
        String text = "";
        synchronized (log) {
            if (what != null) text = what.toString();
            log.add(text.trim());
        }
    }
}
