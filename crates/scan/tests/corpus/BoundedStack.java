import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A stack that blocks. */
public class BoundedStack<T> {
    private final Lock lock = new ReentrantLock(true);
    private final Condition notFull = lock.newCondition();
    private final Condition notEmpty = lock.newCondition();
    private final Object[] items;
    private int size;

    public BoundedStack(int n) {
        items = new Object[n];
    }

    public void push(T t) throws InterruptedException {
        lock.lock();
        try {
            while (size == items.length) {
                notFull.await();
            }
            items[size++] = t;
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    public void pushWrong(T t) throws InterruptedException {
        lock.lock(); // expect: unreleased-lock
        while (size == items.length) {
            notFull.await();
        }
        items[size++] = t;
        notEmpty.signal();
        lock.unlock();
    }

    @SuppressWarnings("unchecked")
    public T pop() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (size == 0) {
                notEmpty.await();
            }
            T t = (T) items[--size];
            items[size] = null;
            notFull.signal();
            return t;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("unchecked")
    public T peekWrong() {
        lock.lock(); // expect: unreleased-lock
        try {
            if (size == 0) {
                return null;
            }
            return (T) items[size - 1];
        } catch (ArrayIndexOutOfBoundsException e) {
            lock.unlock();
            return null;
        }
    }

    public boolean isEmpty() {
        lock.lock();
        boolean b = size == 0;
        lock.unlock();
        return b;
    }

    public void clear() {
        try {
            lock.lock();
            while (size > 0) {
                items[--size] = null;
            }
            notFull.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public boolean awaitEmpty(long nanos) throws InterruptedException {
        lock.lock();
        try {
            if (size > 0) {
                nanos = notFull.awaitNanos(nanos); // expect: wait-outside-loop
            }
            return nanos > 0;
        } finally {
            lock.unlock();
        }
    }

    public void twice() {
        lock.lock();
        try {
            size = 0;
            lock.unlock();
        } finally {
            lock.unlock(); // expect: unlock-without-lock
        }
    }

    public int depth() {
        int d;
        lock.lock();
        try {
            d = size;
        } finally {
            lock.unlock();
        }
        return d;
    }
}
