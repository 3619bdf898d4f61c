import java.util.concurrent.locks.*;
/** Locks with conditions. */
class BoundedBuffer {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition(), notFull = lock.newCondition();
    private final Object[] items = new Object[16];
    private int head, tail, count;
    void put(Object x) throws InterruptedException {
        lock.lock();
        try {
            while (count == items.length) notFull.await();
            items[tail] = x;
            tail = (tail + 1) % items.length;
            count++;
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }
    Object take() throws InterruptedException {
        lock.lock();
        try {
            if (count == 0) notEmpty.await(); // expect: wait-outside-loop
            Object x = items[head];
            head = (head + 1) % items.length;
            count--;
            notFull.signal();
            return x;
        } finally {
            lock.unlock();
        }
    }
    Object poll() {
        lock.lock(); // expect: unreleased-lock
        if (count == 0) return null;
        Object x = items[head];
        head = (head + 1) % items.length;
        count--;
        lock.unlock();
        return x;
    }
    boolean offer(Object x) {
        if (!lock.tryLock()) return false;
        try {
            if (count == items.length) return false;
            items[tail] = x;
            count++;
            return true;
        } finally {
            lock.unlock();
        }
    }
    int size() {
        if (lock.tryLock()) {
            int n = count;
            lock.unlock();
            return n;
        }
        lock.unlock(); // expect: unlock-without-lock
        return -1;
    }
}
