import java.util.concurrent.locks.ReentrantLock;

/** Two locks, taken in both orders in one pair of methods. */
class Orders {
    private final ReentrantLock first = new ReentrantLock();
    private final ReentrantLock second = new ReentrantLock();
    private final ReentrantLock third = new ReentrantLock();
    private final ReentrantLock fourth = new ReentrantLock();
    private final Object monitor = new Object();
    private final Object other = new Object();
    private int n;

    void forth() {
        first.lock();
        try {
            second.lock(); // expect: lock-order
            try {
                n++;
            } finally {
                second.unlock();
            }
        } finally {
            first.unlock();
        }
    }

    void back() {
        second.lock();
        try {
            first.lock(); // expect: lock-order
            try {
                n--;
            } finally {
                first.unlock();
            }
        } finally {
            second.unlock();
        }
    }

    void right() {
        third.lock();
        try {
            fourth.lock();
            try {
                n++;
            } finally {
                fourth.unlock();
            }
        } finally {
            third.unlock();
        }
    }

    void alsoRight() {
        fourth.lock();
        n++;
        fourth.unlock();
        third.lock();
        n++;
        third.unlock();
    }

    void outer() {
        synchronized (monitor) {
            inner(); // expect: lock-order
        }
    }

    private void inner() {
        synchronized (other) {
            n++;
        }
    }

    void reversed() {
        synchronized (other) {
            synchronized (monitor) { // expect: lock-order
                n--;
            }
        }
    }
}
