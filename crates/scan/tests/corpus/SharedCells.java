import java.util.concurrent.locks.*;
import java.util.function.*;
class SharedCells<K> {
    private final ReadWriteLock rw = new ReentrantReadWriteLock();
    private K value;
    <R> R read(Function<K, R> f) {
        rw.readLock().lock();
        try { return f.apply(value); } finally { rw.readLock().unlock(); }
    }
    void write(UnaryOperator<K> f) {
        Lock w = rw.writeLock();
        w.lock();
        try { value = f.apply(value); } finally { w.unlock(); }
    }
    K get() {
        Lock r = rw.readLock();
        r.lock();
        K v = value;
        r.unlock();
        return v;
    }
    void set(K v) {
        Lock w = rw.writeLock();
        w.lock(); // expect: unreleased-lock
        if (v == null) throw new IllegalArgumentException("null");
        value = v;
        w.unlock();
    }
    void twice(K v) {
        Lock w = rw.writeLock();
        w.lock();
        try {
            value = v;
        } finally {
            w.unlock();
        }
        w.unlock(); // expect: unlock-without-lock
    }
    K upgrade(Supplier<K> make) {
        rw.readLock().lock();
        try {
            if (value != null) return value;
        } finally {
            rw.readLock().unlock();
        }
        rw.writeLock().lock();
        try {
            if (value == null) value = make.get();
            return value;
        } finally {
            rw.writeLock().unlock();
        }
    }
}
