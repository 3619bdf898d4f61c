import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class Gate {
    private final Semaphore tickets = new Semaphore(10, true);
    private final ReentrantReadWriteLock guard = new ReentrantReadWriteLock();
    private final ReentrantReadWriteLock.ReadLock r = guard.readLock();
    private final ReentrantReadWriteLock.WriteLock w = guard.writeLock();
    private final Set<String> inside = new HashSet<>();
    private final Object a = new Object();
    private final Object b = new Object();

    public boolean enter(String name) throws InterruptedException {
        tickets.acquire(); // expect: unreleased-lock
        w.lock();
        try {
            if (!inside.add(name)) {
                return false;
            }
        } finally {
            w.unlock();
        }
        tickets.release();
        return true;
    }

    public boolean isInside(String name) {
        r.lock();
        boolean is = inside.contains(name);
        r.unlock();
        return is;
    }

    public int size() {
        r.lock(); // allow: unreleased-lock
        try {
            return inside.size();
        } finally {
            w.unlock(); // expect: unlock-without-lock
        }
    }

    public void clear(boolean log) {
        w.lock();
        if (log) {
            System.out.println(inside.size());
        }
        inside.clear();
        w.unlock();
    }

    public void swap(String x, String y) {
        w.lock(); // expect: unreleased-lock
        boolean had = inside.remove(x);
        if (!had) {
            throw new IllegalArgumentException(x);
        }
        inside.add(y);
        w.unlock();
    }

    void first() {
        synchronized (a) {
            second(); // allow: lock-order
        }
    }

    void second() {
        synchronized (b) {
            inside.clear();
        }
    }

    void third() {
        synchronized (b) {
            synchronized (a) { // expect: lock-order
                inside.add("third");
            }
        }
    }

    public String any() {
        r.lock();
        try {
            for (String s : inside) {
                return s;
            }
            return null;
        } finally {
            r.unlock();
        }
    }

    public int anyLength() {
        String s = any();
        return s.length(); // expect: null-dereference
    }

    public int anyLengthRight() {
        String s = any();
        return s == null ? 0 : s.length();
    }

    public int twice() {
        w.lock();
        try {
            w.lock(); // expect: double-lock
            try {
                return inside.size();
            } finally {
                w.unlock();
            }
        } finally {
            w.unlock();
        }
    }
}
