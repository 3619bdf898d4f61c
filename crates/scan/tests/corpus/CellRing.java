import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.StampedLock;

/** A buffer that goes round. */
public class CellRing {
    private final int[] cells = new int[64];
    private int head, tail, count;
    private final Lock lock = new ReentrantLock();
    private final Condition notEmpty = lock.newCondition();
    private final StampedLock stamps = new StampedLock();
    private long writes;

    public void put(int n) {
        lock.lock();
        try {
            cells[tail] = n;
            tail = (tail + 1) % cells.length;
            count++;
            notEmpty.signal();
        } finally {
            lock.unlock();
        }
    }

    public int take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (count == 0) {
                notEmpty.await();
            }
            return remove();
        } finally {
            lock.unlock();
        }
    }

    private int remove() {
        int n = cells[head];
        head = (head + 1) % cells.length;
        count--;
        return n;
    }

    public int poll(long millis) throws InterruptedException {
        lock.lock();
        try {
            if (count == 0 && !notEmpty.await(millis, TimeUnit.MILLISECONDS)) { // allow: wait-outside-loop
                return -1;
            }
            return count == 0 ? -1 : remove();
        } finally {
            lock.unlock();
        }
    }

    public int sum() {
        int s = 0;
        lock.lock(); // expect: unreleased-lock
        for (int i = 0; i < 64; i++) {
            if (cells[i] < 0) {
                return -1;
            }
            s += cells[i];
        }
        lock.unlock();
        return s;
    }

    public int sumRight() {
        int s = 0;
        lock.lock();
        for (int i = 0; i < 64; i++) {
            s += cells[i];
        }
        lock.unlock();
        return s;
    }

    public void write(int i, int n) {
        long stamp = stamps.writeLock();
        try {
            cells[i] = n;
            writes++;
        } finally {
            stamps.unlockWrite(stamp);
        }
    }

    public int read(int i) {
        long stamp = stamps.readLock(); // expect: unreleased-lock
        int n = cells[i];
        if (n == 0) {
            return 0;
        }
        stamps.unlockRead(stamp);
        return n;
    }

    public int readRight(int i) {
        long stamp = stamps.tryOptimisticRead();
        int n = cells[i];
        if (stamps.validate(stamp)) {
            return n;
        }
        stamp = stamps.readLock();
        try {
            return cells[i];
        } finally {
            stamps.unlockRead(stamp);
        }
    }

    public boolean tryPut(int n) {
        boolean done = false;
        if (lock.tryLock()) {
            try {
                if (count < cells.length) {
                    put(n);
                    done = true;
                }
            } finally {
                lock.unlock();
            }
        }
        return done;
    }

    public void clear() {
        lock.lock();
        lock.lock(); // expect: double-lock
        count = 0;
        lock.unlock();
        lock.unlock();
    }

    public void reset() {
        int old = count; // expect: unused-definition
        lock.lock();
        try {
            old = 0;
            head = tail = count = old;
        } finally {
            lock.unlock();
        }
        lock.unlock(); // expect: unlock-without-lock
    }
}
