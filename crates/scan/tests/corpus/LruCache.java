import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;

/** A cache with a list of entries in the order of their use. */
public class LruCache<K, V> {
    private static final class Entry<K, V> {
        final K key;
        V value;
        Entry<K, V> next;
        Entry<K, V> previous;

        Entry(K key, V value) {
            this.key = key;
            this.value = value;
        }
    }

    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<K, Entry<K, V>> map = new HashMap<>();
    private Entry<K, V> head;
    private Entry<K, V> tail;
    private final int limit;

    public LruCache(int limit) {
        this.limit = limit;
    }

    public V get(K key) {
        lock.readLock().lock();
        try {
            Entry<K, V> e = map.get(key);
            return e == null ? null : e.value;
        } finally {
            lock.readLock().unlock();
        }
    }

    public V getOrLoad(K key, Function<K, V> loader) {
        lock.writeLock().lock();
        try {
            Entry<K, V> e = map.get(key);
            if (e == null) {
                e = new Entry<>(key, loader.apply(key));
                map.put(key, e);
                pushFront(e);
                if (map.size() > limit) {
                    evict();
                }
            }
            return e.value;
        } finally {
            lock.writeLock().unlock();
        }
    }

    public boolean touch(K key) {
        lock.writeLock().lock(); // expect: unreleased-lock
        Entry<K, V> e = map.get(key);
        if (e == null) {
            return false;
        }
        unlink(e);
        pushFront(e);
        lock.writeLock().unlock();
        return true;
    }

    public int size() {
        lock.readLock().lock(); // expect: unreleased-lock
        try {
            return map.size();
        } finally {
            lock.writeLock().unlock(); // expect: unlock-without-lock
        }
    }

    public V peekValue(K key) {
        Entry<K, V> e = map.get(key);
        if (e == null) {
            System.err.println("no " + key);
        }
        return e.value; // expect: null-dereference
    }

    private void pushFront(Entry<K, V> e) {
        e.next = head;
        e.previous = null;
        if (head != null) {
            head.previous = e;
        }
        head = e;
        if (tail == null) {
            tail = e;
        }
    }

    private void unlink(Entry<K, V> e) {
        if (e.previous == null) {
            head = e.next;
        } else {
            e.previous.next = e.next;
        }
        if (e.next == null) {
            tail = e.previous;
        } else {
            e.next.previous = e.previous;
        }
    }

    private void evict() {
        if (tail != null) {
            map.remove(tail.key);
            unlink(tail);
        }
    }
}
