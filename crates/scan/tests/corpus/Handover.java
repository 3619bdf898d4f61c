import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.*;
class Handover {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private int size;
    boolean offer(int v) {
        if (!lock.tryLock()) return false;
        try {
            size += v;
            notEmpty.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }
    int take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (size == 0) notEmpty.await();
            return size--;
        } finally {
            lock.unlock();
        }
    }
    int takeOnce() throws InterruptedException {
        lock.lock();
        try {
            if (size == 0) notEmpty.await(); // expect: wait-outside-loop
            return size--;
        } finally {
            lock.unlock();
        }
    }
    int peek(long ms) throws InterruptedException {
        boolean got = lock.tryLock(ms, TimeUnit.MILLISECONDS);
        try {
            return size;
        } finally {
            if (got) lock.unlock();
        }
    }
    int drain() {
        lock.lock(); // expect: unreleased-lock
        if (size == 0) {
            return 0;
        }
        int n = size;
        size = 0;
        lock.unlock();
        return n;
    }
    void reset() {
        if (lock.tryLock()) {
            size = 0;
        }
        lock.unlock(); // expect: unlock-without-lock
    }
}
