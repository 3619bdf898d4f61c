import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** A pool of things that are expensive to make. */
public class ConnectionPool1<T extends AutoCloseable> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition free = lock.newCondition();
    private final Deque<T> idle = new ArrayDeque<>();
    private final Supplier<T> factory;
    private final int max;
    private int made;
    private boolean closed;

    public ConnectionPool1(Supplier<T> factory, int max) {
        this.factory = factory;
        this.max = max;
    }

    public T borrow() throws InterruptedException {
        lock.lock();
        try {
            while (idle.isEmpty() && made >= max) {
                free.await();
            }
            T t = idle.pollFirst();
            if (t == null) {
                made++;
                t = factory.get();
            }
            return t;
        } finally {
            lock.unlock();
        }
    }

    public T borrowHasty() throws InterruptedException {
        lock.lock();
        try {
            if (idle.isEmpty()) {
                free.await(); // expect: wait-outside-loop
            }
            return idle.pollFirst();
        } finally {
            lock.unlock();
        }
    }

    public T tryBorrow(long millis) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lockInterruptibly();
        try {
            while (idle.isEmpty()) {
                if (left <= 0) {
                    return null;
                }
                left = free.awaitNanos(left);
            }
            return idle.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    public void giveBack(T t) {
        lock.lock(); // expect: unreleased-lock
        if (closed) {
            throw new IllegalStateException("closed");
        }
        idle.addLast(t);
        free.signal();
        lock.unlock();
    }

    public void closeAll() throws Exception {
        Deque<T> rest;
        lock.lock();
        try {
            closed = true;
            rest = new ArrayDeque<>(idle);
            idle.clear();
        } finally {
            lock.unlock();
        }
        for (T t : rest) {
            t.close();
        }
    }

    public int idleCount() {
        lock.lock();
        lock.lock(); // expect: double-lock
        try {
            return idle.size();
        } finally {
            lock.unlock();
            lock.unlock();
        }
    }

    public boolean drainIfFree() {
        if (lock.tryLock()) {
            try {
                idle.clear();
            } finally {
                lock.unlock();
            }
            return true;
        }
        return false;
    }

    public void drainAnyway() {
        lock.tryLock(); // expect: ignored-result
        try {
            idle.clear();
        } finally {
            lock.unlock(); // allow: unlock-without-lock
        }
    }
}
