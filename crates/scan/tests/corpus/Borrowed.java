import java.util.concurrent.locks.*;
class Borrowed {
    private final ReentrantLock lock = new ReentrantLock();
    private boolean held;
    private int n;
    void begin() { lock.lock(); held = true; }
    void end() { held = false; lock.unlock(); }
    int use() {
        begin();
        try { return n; } finally { end(); }
    }
    int leak(boolean b) {
        begin(); // expect: unreleased-lock
        if (b) return -1;
        end();
        return n;
    }
    void inLoop(int k) {
        for (int i = 0; i < k; i++) {
            lock.lock();
            try {
                if (n > 10) break;
                n++;
            } finally {
                lock.unlock();
            }
        }
    }
    void loopLeak(int k) {
        for (int i = 0; i < k; i++) {
            lock.lock(); // expect: unreleased-lock
            if (n > 10) return;
            n++;
            lock.unlock();
        }
    }
    void handOver(int k) {
        lock.lock();
        boolean mine = true;
        if (k > 3) { lock.unlock(); mine = false; }
        if (mine) lock.unlock();
    }
    void checked() {
        if (lock.isHeldByCurrentThread()) lock.unlock();
    }
    void exceptions(Runnable r) {
        lock.lock();
        try {
            r.run();
        } catch (IllegalStateException e) {
            return;
        } finally {
            lock.unlock();
        }
        n++;
    }
    void twice() {
        lock.lock();
        lock.unlock();
        lock.unlock(); // expect: unlock-without-lock
    }
    void forgotten() {
        lock.lock();
        n++;
    } // missed: unreleased-lock
}
