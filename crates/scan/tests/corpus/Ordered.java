import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
class Ordered {
    private final Lock a = new ReentrantLock(), b = new ReentrantLock();
    private int x, y;
    void ab() {
        a.lock();
        try {
            b.lock(); // allow: lock-order
            try { x = y; } finally { b.unlock(); }
        } finally { a.unlock(); }
    }
    void ba() {
        b.lock();
        try {
            a.lock(); // expect: lock-order
            try { y = x; } finally { a.unlock(); }
        } finally { b.unlock(); }
    }
    private final Semaphore slots = new Semaphore(3);
    int guarded(Callable<Integer> c) throws Exception {
        slots.acquire();
        try { return c.call(); } finally { slots.release(); }
    }
    private final AtomicReference<String> ref = new AtomicReference<>();
    int length() {
        String s = ref.get();
        return s == null ? 0 : s.length();
    }
    synchronized void waitFor() throws InterruptedException {
        while (x == 0) wait();
    }
    synchronized void waitOnce() throws InterruptedException {
        if (x == 0) wait(); // expect: wait-outside-loop
    }
    private boolean acquire() { return a.tryLock(); }
    private void release() { a.unlock(); }
    int helped() {
        if (!acquire()) return -1;
        try { return x; } finally { release(); }
    }
    int helpedLeak(int n) {
        if (!acquire()) return -1; // expect: unreleased-lock
        if (n > 3) return n;
        release();
        return x;
    }
    void nested() {
        a.lock();
        try { inner(); } finally { a.unlock(); }
    }
    private void inner() {
        a.lock();
        try { x++; } finally { a.unlock(); }
    }
}
