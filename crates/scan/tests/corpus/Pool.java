import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Supplier;

/** A pool of connections, as many projects have one. */
class Pool<T> {
    private final ReentrantLock lock = new ReentrantLock(true);
    private final Condition free = lock.newCondition();
    private final Deque<T> idle = new ArrayDeque<>();
    private final Supplier<T> factory;
    private final Semaphore permits = new Semaphore(4);
    private final StampedLock stamped = new StampedLock();
    private int size;
    private boolean closed;

    Pool(Supplier<T> factory) {
        this.factory = factory;
    }

    T borrow(long millis) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lockInterruptibly();
        try {
            while (idle.isEmpty() && size >= 10) {
                if (closed) {
                    throw new IllegalStateException("closed");
                }
                if (nanos <= 0) {
                    return null;
                }
                nanos = free.awaitNanos(nanos);
            }
            T found = idle.poll();
            if (found == null) {
                found = factory.get();
                size++;
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    void giveBack(T item) {
        lock.lock();
        try {
            if (closed) {
                size--;
                return;
            }
            idle.push(item);
            free.signal();
        } finally {
            lock.unlock();
        }
    }

    void shrink(int to) {
        lock.lock(); // expect: unreleased-lock
        while (size > to) {
            T item = idle.poll();
            if (item == null) {
                return;
            }
            size--;
        }
        lock.unlock();
    }

    void withPermit(Runnable r) throws InterruptedException {
        permits.acquire();
        try {
            r.run();
        } finally {
            permits.release();
        }
    }

    int withPermitLeak(int n) throws InterruptedException {
        permits.acquire(); // expect: unreleased-lock
        if (n == 0) {
            return 0;
        }
        permits.release();
        return n;
    }

    int stampedRead() {
        long stamp = stamped.tryOptimisticRead();
        int s = size;
        if (!stamped.validate(stamp)) {
            stamp = stamped.readLock();
            try {
                s = size;
            } finally {
                stamped.unlockRead(stamp);
            }
        }
        return s;
    }

    void stampedWriteLeak(int n) {
        long stamp = stamped.writeLock(); // expect: unreleased-lock
        if (n < 0) {
            return;
        }
        size = n;
        stamped.unlockWrite(stamp);
    }

    void closeAll() {
        lock.lock();
        try {
            closed = true;
            idle.clear();
            free.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
