import java.util.*;
import java.util.concurrent.locks.*;
/** Waiting and notifying. */
class Queues {
    private final LinkedList<String> q = new LinkedList<>();
    private final ReentrantLock l = new ReentrantLock(); private final Condition some = l.newCondition();
    private boolean ready;
    synchronized String take() throws InterruptedException {
        while (q.isEmpty()) wait();
        return q.removeFirst();
    }
    synchronized String takeBad() throws InterruptedException {
        if (q.isEmpty()) wait(); // expect: wait-outside-loop
        return q.removeFirst();
    }
    synchronized void put(String s) { q.add(s); notifyAll(); }
    String takeC() throws InterruptedException {
        l.lock();
        try { while (q.isEmpty()) some.await(); return q.removeFirst(); } finally { l.unlock(); }
    }
    String takeCBad() throws InterruptedException {
        l.lock();
        try { if (q.isEmpty()) some.await(); return q.removeFirst(); } finally { l.unlock(); } // expect: wait-outside-loop
    }
    void loop() throws InterruptedException {
        synchronized (q) {
            for (;;) { if (ready) break; q.wait(100); }
        }
    }
    void spin() { while (!ready) { } } // allow: endless-loop
    void spinLocal() {
        boolean done = false;
        while (!done) { q.size(); } // expect: endless-loop
    }
    synchronized void doWait() throws InterruptedException {
        do { wait(); } while (!ready);
    }
    void serve() throws InterruptedException { while (true) { String s = take(); System.out.println(s); } } // allow: endless-loop
    int drain() {
        int n = 0;
        while (true) { String s = q.poll(); if (s == null) return n; n++; }
    }
}
