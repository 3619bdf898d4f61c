import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** A store with one lock: what is taken is given back, mostly. */
class Inventory {
    private final Lock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Map<String, Integer> stock = new HashMap<>();
    private int version;

    void add(String item, int count) {
        lock.lock();
        try {
            stock.merge(item, count, Integer::sum);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean removeEarlyReturn(String item, int count) {
        lock.lock(); // expect: unreleased-lock
        Integer have = stock.get(item);
        if (have == null || have < count) {
            return false;
        }
        stock.put(item, have - count);
        lock.unlock();
        return true;
    }

    boolean remove(String item, int count) {
        lock.lock();
        try {
            Integer have = stock.get(item);
            if (have == null || have < count) {
                return false;
            }
            stock.put(item, have - count);
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean tryRemove(String item) throws InterruptedException {
        if (!lock.tryLock(10, TimeUnit.MILLISECONDS)) {
            return false;
        }
        try {
            return stock.remove(item) != null;
        } finally {
            lock.unlock();
        }
    }

    boolean tryRemoveForgets(String item) {
        if (lock.tryLock()) { // expect: unreleased-lock
            Integer old = stock.remove(item);
            if (old != null) {
                lock.unlock();
                return true;
            }
        }
        return false;
    }

    int tryWithFlag() {
        boolean held = lock.tryLock();
        try {
            return held ? version : -1;
        } finally {
            if (held) {
                lock.unlock();
            }
        }
    }

    void validated(String item) {
        lock.lock(); // expect: unreleased-lock
        if (item.isEmpty()) {
            throw new IllegalArgumentException("no name");
        }
        stock.put(item, 0);
        lock.unlock();
    }

    int unlocksTwice(int n) {
        lock.lock();
        try {
            if (n > version) {
                lock.unlock();
                return n;
            }
            return version;
        } finally {
            lock.unlock(); // expect: unlock-without-lock
        }
    }

    void loop(String[] items) {
        for (String item : items) {
            lock.lock(); // expect: unreleased-lock
            if (stock.containsKey(item)) {
                continue;
            }
            stock.put(item, 1);
            lock.unlock();
        }
    }

    void loopRight(String[] items) {
        for (String item : items) {
            lock.lock();
            try {
                if (stock.containsKey(item)) {
                    continue;
                }
                stock.put(item, 1);
            } finally {
                lock.unlock();
            }
        }
    }

    int awaitChange(int seen) throws InterruptedException {
        lock.lock();
        try {
            while (version == seen) {
                changed.await();
            }
            return version;
        } finally {
            lock.unlock();
        }
    }

    int awaitOnce(int seen) throws InterruptedException {
        lock.lock();
        try {
            if (version == seen) {
                changed.await(); // expect: wait-outside-loop
            }
            return version;
        } finally {
            lock.unlock();
        }
    }

    private void acquire() {
        lock.lock();
    }

    private void release() {
        lock.unlock();
    }

    void byHelpers() {
        acquire();
        try {
            version++;
        } finally {
            release();
        }
    }

    int byHelpersForgets(int n) {
        acquire(); // expect: unreleased-lock
        if (n < 0) {
            return -1;
        }
        version += n;
        release();
        return version;
    }

    void withLock(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    int byLambda() {
        int[] result = new int[1];
        withLock(() -> result[0] = version);
        return result[0];
    }

    void switches(int kind) {
        lock.lock(); // expect: unreleased-lock
        switch (kind) {
            case 0:
                version = 0;
                break;
            case 1:
                version = 1;
                lock.unlock();
                return;
            default:
                return;
        }
        lock.unlock();
    }
}
