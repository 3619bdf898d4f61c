import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Tries again, with helpers that lock. */
public class Retry6 {
    private final Lock lock;
    private int failures;
    private static final int MAX = 5;

    public Retry6(Lock lock) {
        this.lock = lock;
    }

    public <T> T call(Callable<T> c) throws Exception {
        Exception last = null;
        for (int i = 0; i < MAX; i++) {
            try {
                return c.call();
            } catch (RuntimeException e) {
                last = e;
                failures++;
            }
        }
        throw last;
    }

    public <T> T locked(Callable<T> c) throws Exception {
        lock.lock();
        try {
            return c.call();
        } finally {
            lock.unlock();
        }
    }

    public <T> T lockedWrong(Callable<T> c) throws Exception {
        lock.lock(); // expect: unreleased-lock
        try {
            return c.call();
        } catch (RuntimeException e) {
            lock.unlock();
            throw e;
        }
    }

    public boolean within(long millis, Runnable r) throws InterruptedException {
        if (lock.tryLock(millis, TimeUnit.MILLISECONDS)) {
            try {
                r.run();
                return true;
            } finally {
                lock.unlock();
            }
        }
        return false;
    }

    public boolean withinWrong(long millis, Runnable r) throws InterruptedException {
        lock.tryLock(millis, TimeUnit.MILLISECONDS); // expect: ignored-result, unreleased-lock
        r.run();
        return true;
    }

    public void quietly(Lock l, Runnable r) {
        boolean held = l.tryLock();
        if (!held) {
            return;
        }
        try {
            r.run();
        } finally {
            l.unlock();
        }
    }

    public void quietlyWrong(Lock l, Runnable r) {
        boolean held = l.tryLock(); // expect: unreleased-lock
        if (held) {
            r.run();
            if (failures > 0) {
                return;
            }
            l.unlock();
        }
    }

    public int iterate(int start, UnaryOperator<Integer> f, Predicate<Integer> p) {
        int n = start;
        while (!p.test(n)) {
            n = f.apply(n);
        }
        return n;
    }

    public int countDown(int n) {
        int left = n;
        int steps = 0;
        while (left > 0) { // expect: endless-loop
            steps++;
        }
        return steps;
    }

    public int countDownRight(int n) {
        int left = n;
        int steps = 0;
        while (left > 0) {
            steps++;
            left -= 2;
        }
        return steps;
    }

    public String state() {
        String s = failures > MAX ? "bad" : "good";
        if (s == null) { // allow: decided-branch, null-check-after-use
            s = "none";
        }
        return s;
    }

    public String level() {
        if (failures > 10) {
            return "high";
        } else if (failures > 20) { // expect: decided-branch
            return "very high";
        }
        return "low";
    }
}
