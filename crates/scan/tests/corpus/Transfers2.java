import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Two registers and their locks. */
public class Transfers2 {
    private static final Lock LEFT = new ReentrantLock();
    private static final Lock RIGHT = new ReentrantLock();
    private static final Object AUDIT = new Object();
    private static final Object STATS = new Object();
    private static int left, right, audits;

    static void toRight(int n) {
        LEFT.lock();
        try {
            RIGHT.lock(); // expect: lock-order
            try {
                left -= n;
                right += n;
            } finally {
                RIGHT.unlock();
            }
        } finally {
            LEFT.unlock();
        }
    }

    static void toLeft(int n) {
        RIGHT.lock();
        try {
            LEFT.lock(); // expect: lock-order
            try {
                right -= n;
                left += n;
            } finally {
                LEFT.unlock();
            }
        } finally {
            RIGHT.unlock();
        }
    }

    static void audit() {
        synchronized (AUDIT) {
            audits++;
            synchronized (STATS) {
                audits++;
            }
        }
    }

    static void auditAgain() {
        synchronized (AUDIT) {
            count();
        }
    }

    private static void count() {
        synchronized (STATS) {
            audits++;
        }
    }

    static int sumOneByOne() {
        int n;
        RIGHT.lock();
        try {
            n = right;
        } finally {
            RIGHT.unlock();
        }
        synchronized (STATS) {
            n += audits;
        }
        return n;
    }
}
