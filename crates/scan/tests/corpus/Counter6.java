import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Inheritance and locks. */
public class Counter6 {
    protected final Lock lock = new ReentrantLock();
    protected int value;

    public void add(int n) {
        lock.lock();
        try {
            value += n;
            changed();
        } finally {
            lock.unlock();
        }
    }

    protected void changed() {}

    public static class Logged extends Counter6 {
        private int calls;

        @Override
        protected void changed() {
            calls++;
        }

        @Override
        public void add(int n) {
            lock.lock();
            try {
                super.add(n);
            } finally {
                lock.unlock();
            }
        }

        public int reset() {
            lock.lock(); // expect: unreleased-lock
            int old = value;
            value = 0;
            if (calls == 0) {
                return -1;
            }
            calls = 0;
            lock.unlock();
            return old;
        }
    }

    public static class Guard implements AutoCloseable {
        private final Lock l;

        public Guard(Lock l) {
            this.l = l;
            l.lock();
        }

        @Override
        public void close() {
            l.unlock();
        }
    }

    public int guarded() {
        try (Guard g = new Guard(lock)) {
            return value;
        }
    }

    public int guardedWrong(int n) {
        Guard g = new Guard(lock); // allow: unclosed-resource, unreleased-lock
        if (n < 0) {
            return -1;
        }
        value += n;
        g.close();
        return value;
    }

    public int nested() {
        lock.lock();
        try {
            int n = value;
            lock.lock(); // expect: double-lock
            try {
                n += value;
            } finally {
                lock.unlock();
            }
            return n;
        } finally {
            lock.unlock();
        }
    }

    public int releasedEarly(boolean early) {
        lock.lock();
        int n;
        boolean held = true;
        try {
            n = value;
            if (early) {
                lock.unlock();
                held = false;
                System.out.println(n);
            }
        } finally {
            if (held) {
                lock.unlock();
            }
        }
        return n;
    }

    public int releasedTwice(boolean early) {
        lock.lock();
        int n = value;
        if (early) {
            lock.unlock();
        }
        n++;
        lock.unlock(); // expect: unlock-without-lock
        return n;
    }
}
