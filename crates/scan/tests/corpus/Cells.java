import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Read and write locks, locks of others, locks in fields and locals. */
class Cells {
    private final ReadWriteLock rw = new ReentrantReadWriteLock();
    private final Lock read = rw.readLock();
    private final Lock write = rw.writeLock();
    private static final ReentrantLock GLOBAL = new ReentrantLock();
    private int value;
    final ReentrantLock own = new ReentrantLock();

    int get() {
        read.lock();
        try {
            return value;
        } finally {
            read.unlock();
        }
    }

    void set(int v) {
        write.lock();
        try {
            value = v;
        } finally {
            write.unlock();
        }
    }

    void setWrong(int v) {
        write.lock(); // expect: unreleased-lock
        try {
            value = v;
        } finally {
            read.unlock(); // allow: unlock-without-lock
        }
    }

    int getOrCompute(int fallback) {
        rw.readLock().lock();
        try {
            if (value != 0) {
                return value;
            }
        } finally {
            rw.readLock().unlock();
        }
        rw.writeLock().lock();
        try {
            value = fallback;
            return value;
        } finally {
            rw.writeLock().unlock();
        }
    }

    int leaksRead() {
        rw.readLock().lock(); // expect: unreleased-lock
        if (value > 0) {
            return value;
        }
        rw.readLock().unlock();
        return 0;
    }

    static void transfer(Cells from, Cells to, int amount) {
        from.own.lock();
        try {
            to.own.lock();
            try {
                from.value -= amount;
                to.value += amount;
            } finally {
                to.own.unlock();
            }
        } finally {
            from.own.unlock();
        }
    }

    static int global(boolean again) {
        GLOBAL.lock();
        try {
            if (again) {
                GLOBAL.lock(); // expect: double-lock
                GLOBAL.unlock();
            }
            return 1;
        } finally {
            GLOBAL.unlock();
        }
    }

    static void parameter(Lock l, Runnable r) {
        l.lock();
        try {
            r.run();
        } finally {
            l.unlock();
        }
    }

    static void parameterForgets(Lock l, boolean b) {
        l.lock(); // expect: unreleased-lock
        if (b) {
            l.unlock();
        }
    }

    static void unlocksOnly(ReentrantLock l) {
        l.unlock();
    }

    static void localLock() {
        ReentrantLock l = new ReentrantLock();
        l.unlock(); // expect: unlock-without-lock
    }

    static void localTwice() {
        ReentrantLock l = new ReentrantLock();
        l.lock();
        l.lock(); // expect: double-lock
        l.unlock();
        l.unlock();
    }

    void ifHeld() {
        if (own.isHeldByCurrentThread()) {
            own.unlock();
        }
    }

    void interruptibly() throws InterruptedException {
        own.lockInterruptibly();
        try {
            value++;
        } finally {
            own.unlock();
        }
    }

    void handOver() {
        own.lock();
        boolean done = false;
        try {
            value++;
            done = true;
        } finally {
            if (!done) {
                own.unlock();
            }
        }
        own.unlock();
    }

    void chain(Cells next) {
        own.lock();
        Cells at = this;
        try {
            value++;
        } finally {
            at.own.unlock();
        }
        next.value++;
    }

    void retry() {
        while (true) {
            own.lock();
            try {
                if (value > 10) {
                    return;
                }
                value++;
            } finally {
                own.unlock();
            }
        }
    }

    void twice() {
        own.lock();
        value++;
        own.unlock();
        own.lock();
        value--;
        own.unlock();
    }
}
