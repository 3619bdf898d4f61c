import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Locks behind objects of one's own. */
class Locked {
    /** A lock for `try (…)`. */
    static final class Guard implements AutoCloseable {
        private final Lock lock;

        Guard(Lock lock) {
            this.lock = lock;
            lock.lock();
        }

        @Override
        public void close() {
            lock.unlock();
        }
    }

    private final Lock lock = new ReentrantLock();
    private int n;

    int guarded() {
        try (Guard g = new Guard(lock)) {
            return n;
        }
    }

    abstract static class Base {
        protected final Lock lock = new ReentrantLock();

        final void update() {
            lock.lock();
            try {
                doUpdate();
            } finally {
                lock.unlock();
            }
        }

        protected abstract void doUpdate();
    }

    static class Derived extends Base {
        private int count;

        @Override
        protected void doUpdate() {
            count++;
        }

        int read() {
            lock.lock(); // expect: unreleased-lock
            if (count == 0) {
                return -1;
            }
            lock.unlock();
            return count;
        }
    }

    boolean bothOrNone(Lock a, Lock b) {
        if (!a.tryLock()) {
            return false;
        }
        try {
            if (!b.tryLock()) {
                return false;
            }
            try {
                n++;
                return true;
            } finally {
                b.unlock();
            }
        } finally {
            a.unlock();
        }
    }

    void catches() {
        lock.lock();
        try {
            n = Integer.parseInt("" + n);
        } catch (NumberFormatException e) {
            n = 0;
        }
        lock.unlock();
    }

    void catchesAndReturns() {
        lock.lock(); // expect: unreleased-lock
        try {
            n = Integer.parseInt("" + n);
        } catch (NumberFormatException e) {
            return;
        }
        lock.unlock();
    }

    void insideTry() {
        try {
            lock.lock();
            n++;
        } finally {
            lock.unlock();
        }
    }

    void handOverHand(Lock[] locks) {
        locks[0].lock();
        try {
            n++;
        } finally {
            locks[0].unlock();
        }
    }

    void conditional(boolean safe) {
        if (safe) {
            lock.lock();
        }
        try {
            n++;
        } finally {
            if (safe) {
                lock.unlock();
            }
        }
    }

    void conditionalWrong(boolean safe) {
        if (safe) {
            lock.lock(); // expect: unreleased-lock
        }
        n++;
        if (!safe) {
            lock.unlock(); // allow: unlock-without-lock
        }
    }

    void releaseAround(Runnable r) {
        lock.lock();
        try {
            n++;
            lock.unlock();
            try {
                r.run();
            } finally {
                lock.lock();
            }
            n--;
        } finally {
            lock.unlock();
        }
    }
}
