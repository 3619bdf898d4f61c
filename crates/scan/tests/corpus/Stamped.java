import java.util.concurrent.locks.StampedLock;

/** A point that is read without a lock if nobody writes. */
public class Stamped {
    private final StampedLock lock = new StampedLock();
    private double x, y;

    public void move(double dx, double dy) {
        long stamp = lock.writeLock();
        try {
            x += dx;
            y += dy;
        } finally {
            lock.unlockWrite(stamp);
        }
    }

    public double distance() {
        long stamp = lock.tryOptimisticRead();
        double a = x, b = y;
        if (!lock.validate(stamp)) {
            stamp = lock.readLock();
            try {
                a = x;
                b = y;
            } finally {
                lock.unlockRead(stamp);
            }
        }
        return Math.sqrt(a * a + b * b);
    }

    public boolean moveIfPositive(double dx) {
        long stamp = lock.writeLock(); // expect: unreleased-lock
        if (dx < 0) {
            return false;
        }
        x += dx;
        lock.unlockWrite(stamp);
        return true;
    }

    public double sumTwice() {
        long stamp = lock.readLock();
        double s;
        try {
            s = x + y;
        } finally {
            lock.unlockRead(stamp);
        }
        return s;
    }

    public void reset() {
        long a = lock.writeLock();
        long b = lock.writeLock(); // expect: double-lock
        x = 0;
        y = 0;
        lock.unlockWrite(b);
        lock.unlockWrite(a);
    }

    public double upgrade(double to) {
        long stamp = lock.readLock();
        try {
            while (x == 0.0) {
                long write = lock.tryConvertToWriteLock(stamp);
                if (write != 0) {
                    stamp = write;
                    x = to;
                    break;
                } else {
                    lock.unlockRead(stamp);
                    stamp = lock.writeLock();
                }
            }
            return x;
        } finally {
            lock.unlock(stamp);
        }
    }

    public double readThrowing(String name) {
        long stamp = lock.readLock(); // expect: unreleased-lock
        if (name.isEmpty()) {
            throw new IllegalArgumentException("name");
        }
        double v = name.equals("x") ? x : y;
        lock.unlockRead(stamp);
        return v;
    }
}
