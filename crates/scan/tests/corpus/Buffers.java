import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A bounded buffer by conditions, and others by monitors. */
class Buffers<T> {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition notFull = lock.newCondition();
    private final Condition notEmpty = lock.newCondition();
    private final Deque<T> items = new ArrayDeque<>();
    private final Object monitor = new Object();
    private boolean ready;
    private int limit = 16;

    void put(T item) throws InterruptedException {
        lock.lock();
        try {
            while (items.size() >= limit) {
                notFull.await();
            }
            items.addLast(item);
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    T take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (items.isEmpty()) {
                notEmpty.await();
            }
            T first = items.removeFirst();
            notFull.signal();
            return first;
        } finally {
            lock.unlock();
        }
    }

    T takeOnce() throws InterruptedException {
        lock.lock();
        try {
            if (items.isEmpty()) {
                notEmpty.await(); // expect: wait-outside-loop
            }
            return items.pollFirst();
        } finally {
            lock.unlock();
        }
    }

    T poll(long millis) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(millis);
        lock.lockInterruptibly();
        try {
            while (items.isEmpty()) {
                if (nanos <= 0L) {
                    return null;
                }
                nanos = notEmpty.awaitNanos(nanos);
            }
            return items.removeFirst();
        } finally {
            lock.unlock();
        }
    }

    /** Interrupted while it waits: the lock stays. */
    T forgets() throws InterruptedException {
        lock.lock(); // expect: unreleased-lock
        while (items.isEmpty()) {
            notEmpty.await();
        }
        T first = items.removeFirst();
        lock.unlock();
        return first;
    }

    boolean offer(T item) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            return items.size() < limit && items.offerLast(item);
        } finally {
            lock.unlock();
        }
    }

    boolean offerLater(T item, long millis) throws InterruptedException {
        boolean got = lock.tryLock(millis, TimeUnit.MILLISECONDS);
        if (got) {
            try {
                items.addLast(item);
            } finally {
                lock.unlock();
            }
        }
        return got;
    }

    boolean always(T item) throws InterruptedException {
        boolean got = lock.tryLock(1, TimeUnit.SECONDS);
        try {
            items.addLast(item);
        } finally {
            lock.unlock(); // expect: unlock-without-lock
        }
        return got;
    }

    void await() throws InterruptedException {
        synchronized (monitor) {
            while (!ready) {
                monitor.wait();
            }
        }
    }

    void awaitOnce() throws InterruptedException {
        synchronized (monitor) {
            if (!ready) {
                monitor.wait(); // expect: wait-outside-loop
            }
        }
    }

    void signal() {
        synchronized (monitor) {
            ready = true;
            monitor.notifyAll();
        }
    }
}
