import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;
import java.util.function.Function;
import java.util.function.Supplier;

/** Caches behind locks of several kinds. */
class Caches<K, V> {
    private final Map<K, V> map = new HashMap<>();
    private final ReadWriteLock both = new ReentrantReadWriteLock();
    private final Lock read = both.readLock();
    private final Lock write = both.writeLock();
    private final StampedLock stamped = new StampedLock();
    private volatile boolean valid;

    V get(K key) {
        read.lock();
        try {
            return map.get(key);
        } finally {
            read.unlock();
        }
    }

    V getOrMake(K key, Function<K, V> make) {
        read.lock();
        try {
            V found = map.get(key);
            if (found != null) {
                return found;
            }
        } finally {
            read.unlock();
        }
        write.lock();
        try {
            return map.computeIfAbsent(key, make);
        } finally {
            write.unlock();
        }
    }

    V getBadly(K key) {
        read.lock(); // expect: unreleased-lock
        V found = map.get(key);
        if (found == null) {
            return null;
        }
        read.unlock();
        return found;
    }

    /** As the documentation of ReentrantReadWriteLock has it. */
    V downgrade(K key, Supplier<V> make) {
        ReentrantReadWriteLock rw = (ReentrantReadWriteLock) both;
        rw.readLock().lock();
        if (!valid) {
            rw.readLock().unlock();
            rw.writeLock().lock();
            try {
                if (!valid) {
                    map.put(key, make.get());
                    valid = true;
                }
                rw.readLock().lock();
            } finally {
                rw.writeLock().unlock();
            }
        }
        try {
            return map.get(key);
        } finally {
            rw.readLock().unlock();
        }
    }

    void wrongLock(K key, V value) {
        both.writeLock().lock(); // allow: unreleased-lock
        try {
            map.put(key, value);
        } finally {
            both.readLock().unlock(); // allow: unlock-without-lock
        }
    }

    V optimistic(K key) {
        long stamp = stamped.tryOptimisticRead();
        V found = map.get(key);
        if (!stamped.validate(stamp)) {
            stamp = stamped.readLock();
            try {
                found = map.get(key);
            } finally {
                stamped.unlockRead(stamp);
            }
        }
        return found;
    }

    void clear() {
        long stamp = stamped.writeLock();
        try {
            map.clear();
        } finally {
            stamped.unlockWrite(stamp);
        }
    }

    boolean clearIf(boolean really) {
        long stamp = stamped.writeLock(); // expect: unreleased-lock
        if (!really) {
            return false;
        }
        map.clear();
        stamped.unlockWrite(stamp);
        return true;
    }

    <R> R reading(Supplier<R> what) {
        read.lock();
        try {
            return what.get();
        } finally {
            read.unlock();
        }
    }

    int size() {
        return reading(() -> map.size());
    }

    Runnable later(K key) {
        return () -> {
            write.lock(); // expect: unreleased-lock
            if (map.remove(key) == null) {
                return;
            }
            write.unlock();
        };
    }

    void twice(K key) {
        write.lock();
        try {
            write.lock(); // expect: double-lock
            try {
                map.remove(key);
            } finally {
                write.unlock();
            }
        } finally {
            write.unlock();
        }
    }
}
