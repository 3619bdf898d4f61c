import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Work under locks and permits, with helpers. */
public class Worker3 {
    private final Lock lock = new ReentrantLock();
    private final Semaphore permits = new Semaphore(4);
    private int done;

    private void locked(Runnable r) {
        lock.lock();
        try {
            r.run();
        } finally {
            lock.unlock();
        }
    }

    public <T> T call(Callable<T> c) throws Exception {
        permits.acquire();
        try {
            return c.call();
        } finally {
            permits.release();
        }
    }

    public boolean callOnce(int n) throws InterruptedException {
        permits.acquire(); // expect: unreleased-lock
        if (n == 0) {
            return false;
        }
        done += n;
        permits.release();
        return true;
    }

    public boolean tryCall(int n) {
        if (!permits.tryAcquire()) {
            return false;
        }
        try {
            done += n;
            return true;
        } finally {
            permits.release();
        }
    }

    public void add() {
        locked(() -> done++);
    }

    public int read(Supplier<Integer> other) {
        lock.lock(); // expect: unreleased-lock
        int n = done;
        if (n == 0) {
            return other.get();
        }
        lock.unlock();
        return n;
    }

    public int timed() throws InterruptedException {
        if (lock.tryLock(10, TimeUnit.MILLISECONDS)) {
            try {
                return done;
            } finally {
                lock.unlock();
            }
        }
        return -1;
    }

    public int timedWrong() throws InterruptedException {
        boolean held = false;
        try {
            held = lock.tryLock(10, TimeUnit.MILLISECONDS);
            return done;
        } finally {
            if (held) {
                lock.unlock();
            }
        }
    }

    public int unlockAlways() throws InterruptedException {
        try {
            if (lock.tryLock(10, TimeUnit.MILLISECONDS)) {
                done++;
            }
            return done;
        } finally {
            lock.unlock(); // expect: unlock-without-lock
        }
    }

    private void grab() {
        lock.lock();
    }

    private void drop() {
        lock.unlock();
    }

    public int helped(boolean fast) {
        grab();
        try {
            return fast ? done : done * 2;
        } finally {
            drop();
        }
    }

    public int helpedWrong(boolean fast) {
        grab(); // expect: unreleased-lock
        if (fast) {
            return done;
        }
        int n = done * 2;
        drop();
        return n;
    }
}
