import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
/** Locks: nested, conditional, tried, mixed up. */
class MixedLocks {
    private final ReentrantLock outer = new ReentrantLock(), inner = new ReentrantLock();
    private final ReadWriteLock rw = new ReentrantReadWriteLock();
    private final StampedLock stamped = new StampedLock();
    private int n; private boolean safe; private Map<String, Integer> m = new HashMap<>();
    void nestedOk() {
        outer.lock();
        try { inner.lock(); try { n++; } finally { inner.unlock(); } } finally { outer.unlock(); }
    }
    void nestedBad(int k) {
        outer.lock(); // expect: unreleased-lock
        inner.lock();
        try { if (k < 0) return; n += k; } finally { inner.unlock(); }
        outer.unlock();
    }
    void wrongOne() {
        outer.lock(); // allow: unreleased-lock
        try { n++; } finally { inner.unlock(); } // expect: unlock-without-lock
    }
    void conditionalOk(boolean sync) {
        if (sync) outer.lock();
        try { n++; } finally { if (sync) outer.unlock(); }
    }
    void conditionalBad(boolean sync, boolean again) {
        if (sync) outer.lock(); // expect: unreleased-lock
        try { n++; } finally { if (again) outer.unlock(); } // allow: unlock-without-lock
    }
    boolean tryOk() throws InterruptedException {
        if (!outer.tryLock(1, TimeUnit.SECONDS)) return false;
        try { n++; return true; } finally { outer.unlock(); }
    }
    boolean tryBad() {
        if (outer.tryLock()) { // expect: unreleased-lock
            n++;
            if (n > 10) return true;
            outer.unlock();
        }
        return false;
    }
    void tryUnlockAlways() {
        boolean got = outer.tryLock(); // allow: unused-definition
        try { n++; } finally { outer.unlock(); } // expect: unlock-without-lock
    }
    void tryUnlockIf() {
        boolean got = outer.tryLock();
        try { n++; } finally { if (got) outer.unlock(); }
    }
    Integer readOk(String k) {
        rw.readLock().lock();
        try { return m.get(k); } finally { rw.readLock().unlock(); }
    }
    Integer readMixed(String k) {
        rw.readLock().lock(); // expect: unreleased-lock
        try { return m.get(k); } finally { rw.writeLock().unlock(); } // expect: unlock-without-lock
    }
    void twice() {
        outer.lock();
        try { outer.lock(); // expect: double-lock
            try { n++; } finally { outer.unlock(); } } finally { outer.unlock(); }
    }
    void reentrant() { outer.lock(); try { nestedOk(); } finally { outer.unlock(); } }
    void handOver() {
        outer.lock();
        inner.lock();
        outer.unlock();
        try { n++; } finally { inner.unlock(); }
    }
    void inLoop(List<String> l) {
        for (String s : l) {
            outer.lock();
            try { if (s.isEmpty()) continue; n++; } finally { outer.unlock(); }
        }
    }
    void inLoopBad(List<String> l) {
        for (String s : l) {
            outer.lock(); // expect: unreleased-lock
            if (s.isEmpty()) break;
            n++;
            outer.unlock();
        }
    }
    void field() {
        boolean s = safe;
        if (s) outer.lock();
        try { n--; } finally { if (s) outer.unlock(); }
    }
    private void begin() { outer.lock(); }
    private void end() { outer.unlock(); }
    void pair() { begin(); try { n++; } finally { end(); } }
}
