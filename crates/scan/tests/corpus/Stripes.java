import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
public class Stripes {
    private final Lock[] locks = new Lock[16];
    private final ConcurrentMap<String, ReentrantLock> byName = new ConcurrentHashMap<>();
    private final ReadWriteLock rw = new ReentrantReadWriteLock();
    private final Lock main = new ReentrantLock();
    private final Condition notEmpty = main.newCondition();
    private final Queue<Integer> items = new LinkedList<>();
    private volatile Map<String, String> snapshot;
    private int hits;
    public Stripes() { for (int i = 0; i < locks.length; i++) locks[i] = new ReentrantLock(); }
    void update(String key) {
        Lock l = locks[Math.floorMod(key.hashCode(), locks.length)];
        l.lock();
        try { hits++; } finally { l.unlock(); }
    }
    void updateBad(String key) {
        Lock l = locks[Math.floorMod(key.hashCode(), locks.length)];
        l.lock(); // expect: unreleased-lock
        hits++;
        if (hits > 100) return;
        l.unlock();
    }
    void named(String name, Runnable r) {
        ReentrantLock l = byName.computeIfAbsent(name, k -> new ReentrantLock());
        l.lock();
        try { r.run(); } finally { l.unlock(); byName.remove(name, l); }
    }
    String cached(String k) {
        rw.readLock().lock();
        boolean reading = true;
        try {
            if (snapshot == null) {
                rw.readLock().unlock();
                reading = false;
                rw.writeLock().lock();
                try {
                    if (snapshot == null) snapshot = new HashMap<>();
                    rw.readLock().lock();
                    reading = true;
                } finally { rw.writeLock().unlock(); }
            }
            return snapshot.get(k);
        } finally { if (reading) rw.readLock().unlock(); }
    }
    int take() throws InterruptedException {
        main.lock();
        try {
            while (items.isEmpty()) notEmpty.await();
            return items.remove();
        } finally { main.unlock(); }
    }
    Integer poll(long ms) throws InterruptedException {
        long left = TimeUnit.MILLISECONDS.toNanos(ms);
        main.lockInterruptibly();
        try {
            for (;;) {
                Integer x = items.poll();
                if (x != null) return x;
                if (left <= 0L) return null;
                left = notEmpty.awaitNanos(left);
            }
        } finally { main.unlock(); }
    }
    boolean attempt(int tries) throws InterruptedException {
        while (tries-- > 0) {
            if (main.tryLock(5, TimeUnit.MILLISECONDS)) {
                try { hits++; return true; } finally { main.unlock(); }
            }
        }
        return false;
    }
    boolean attemptBad(int tries) throws InterruptedException {
        while (tries-- > 0) {
            if (main.tryLock(5, TimeUnit.MILLISECONDS)) { // expect: unreleased-lock
                if (hits++ > 3) return true;
                main.unlock();
            }
        }
        return false;
    }
    private Lock lockFor(int i) { return locks[i]; }
    void viaGetter(int i) {
        Lock l = lockFor(i);
        l.lock();
        try { hits--; } finally { l.unlock(); }
    }
    Lock getMain() { return main; }
    int viaMain() { getMain().lock(); try { return hits; } finally { getMain().unlock(); } }
    int viaMainBad(boolean b) {
        getMain().lock(); // expect: unreleased-lock
        if (b) return 0;
        getMain().unlock();
        return hits;
    }
    static final Object A = new Object(), B = new Object();
    void ab() { synchronized (A) { synchronized (B) { hits++; } } } // expect: lock-order
    void ba() { synchronized (B) { synchronized (A) { hits--; } } } // expect: lock-order
    final AtomicInteger n = new AtomicInteger();
    int bump() { int old; do { old = n.get(); } while (!n.compareAndSet(old, old + 1)); return old; }
    synchronized void a() { b(); }
    synchronized void b() { hits++; }
    void manual() { main.lock(); try { helper(); } catch (RuntimeException e) { hits = 0; } finally { main.unlock(); } }
    private void helper() { if (hits > 5) throw new IllegalStateException(); hits++; }
}
