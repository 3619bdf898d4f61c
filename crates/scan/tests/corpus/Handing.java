import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Locks that are left to others, on purpose and by slips. */
class Handing {
    static class Checked {
        private final Lock lock = new ReentrantLock();
        boolean closed;

        void acquire() {
            lock.lock();
            try {
                check();
            } catch (RuntimeException e) {
                lock.unlock();
                throw e;
            }
        }

        void check() {
            if (closed) throw new IllegalStateException();
        }

        void release() {
            lock.unlock();
        }
    }

    static class Asked {
        private final Lock lock = new ReentrantLock();
        boolean closed;

        boolean begin() {
            lock.lock();
            if (closed) {
                lock.unlock();
                return false;
            }
            return true;
        }

        void end() {
            lock.unlock();
        }
    }

    static class Slip {
        private final Lock lock = new ReentrantLock();
        boolean closed;
        int n;

        boolean add() {
            lock.lock(); // expect: unreleased-lock
            if (closed) {
                return false;
            }
            n++;
            lock.unlock();
            return true;
        }

        void reset() {
            try {
                n = 0;
            } finally {
                lock.unlock(); // expect: unlock-without-lock
            }
        }
    }

    static class TooOften {
        private final Lock lock = new ReentrantLock();
        int n;

        void twice() {
            lock.lock();
            n++;
            lock.unlock();
            lock.unlock(); // expect: unlock-without-lock
        }

        void never() {
            lock.lock(); // expect: unreleased-lock
            n++;
        }
    }

    static class Ordered {
        static class Part {
            final Lock lock = new ReentrantLock();
            int id;
        }

        static void both(Part a, Part b) {
            Part first = a.id < b.id ? a : b;
            Part second = first == a ? b : a;
            first.lock.lock();
            second.lock.lock();
            a.id++;
            second.lock.unlock();
            first.lock.unlock();
        }
    }
}
