import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A list that is mostly read. */
public class ReadMostly<E> {
    private final ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
    private final List<E> items = new ArrayList<>();
    private int changes;

    private <T> T reading(Supplier<T> s) {
        Lock l = rw.readLock();
        l.lock();
        try {
            return s.get();
        } finally {
            l.unlock();
        }
    }

    private void writing(Runnable r) {
        rw.writeLock().lock();
        try {
            r.run();
            changes++;
        } finally {
            rw.writeLock().unlock();
        }
    }

    public int size() {
        return reading(items::size);
    }

    public void add(E e) {
        writing(() -> items.add(e));
    }

    public E first() {
        rw.readLock().lock(); // expect: unreleased-lock
        if (items.isEmpty()) {
            return null;
        }
        E e = items.get(0);
        rw.readLock().unlock();
        return e;
    }

    public boolean replaceAll(E e) {
        Lock l = rw.writeLock();
        l.lock(); // expect: unreleased-lock
        int n = items.size();
        if (n == 0) {
            throw new IllegalStateException("empty");
        }
        for (int i = 0; i < n; i++) {
            items.set(i, e);
        }
        l.unlock();
        return true;
    }

    public int upgrade(E e) {
        rw.readLock().lock();
        boolean known;
        try {
            known = items.contains(e);
        } finally {
            rw.readLock().unlock();
        }
        if (known) {
            return changes;
        }
        rw.writeLock().lock();
        try {
            items.add(e);
            return ++changes;
        } finally {
            rw.writeLock().unlock();
        }
    }

    public void each(Consumer<E> c) {
        List<E> copy;
        rw.readLock().lock();
        try {
            copy = new ArrayList<>(items);
        } finally {
            rw.readLock().unlock();
        }
        copy.forEach(c);
    }

    public void clear() {
        rw.writeLock().lock();
        try {
            items.clear();
        } finally {
            rw.writeLock().unlock();
            rw.writeLock().unlock(); // expect: unlock-without-lock
        }
    }

    public int twice() {
        rw.writeLock().lock();
        rw.writeLock().lock(); // expect: double-lock
        int n = changes;
        rw.writeLock().unlock();
        rw.writeLock().unlock();
        return n;
    }
}
