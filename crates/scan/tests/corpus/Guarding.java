import java.util.concurrent.locks.*;
class Guarding {
    static class Guard implements AutoCloseable {
        private final Lock l;
        Guard(Lock l) { this.l = l; l.lock(); }
        @Override public void close() { l.unlock(); }
    }
    private final Lock lock = new ReentrantLock();
    private final Lock[] stripes = { new ReentrantLock(), new ReentrantLock() };
    private int n;
    int get() { try (Guard g = new Guard(lock)) { return n; } }
    void incr() {
        Guard g = new Guard(lock);
        try { n++; } finally { g.close(); }
    }
    void stripe(int i) {
        Lock l = stripes[i & 1];
        l.lock();
        try { n++; } finally { l.unlock(); }
    }
    void stripeLeak(int i) {
        Lock l = stripes[i & 1];
        l.lock(); // expect: unreleased-lock
        if (i < 0) return;
        n++;
        l.unlock();
    }
    boolean timed() throws InterruptedException {
        if (!lock.tryLock(1, java.util.concurrent.TimeUnit.SECONDS)) return false;
        try { return n > 0; } finally { lock.unlock(); }
    }
    void given(Lock l, Runnable r) {
        l.lock();
        try { r.run(); } finally { l.unlock(); }
    }
    void givenLeak(Lock l, int k) {
        l.lock(); // expect: unreleased-lock
        if (k == 0) throw new IllegalArgumentException();
        l.unlock();
    }
    void local() {
        Lock l = new ReentrantLock();
        l.lock();
        n++;
        l.unlock();
    }
    void transfer(Guarding to, int k) {
        lock.lock();
        try { n -= k; } finally { lock.unlock(); }
        to.lock.lock();
        try { to.n += k; } finally { to.lock.unlock(); }
    }
    void wrong(Guarding to) {
        lock.lock(); // allow: unreleased-lock
        try { n++; } finally { to.lock.unlock(); } // allow: unlock-without-lock
    }
}
