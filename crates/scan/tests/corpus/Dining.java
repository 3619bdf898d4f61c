/** Philosophers with monitors. */
public class Dining {
    private final Object fork = new Object();
    private final Object knife = new Object();
    private final Object salt = new Object();
    private int meals;
    private boolean served;

    void eatLeft() {
        synchronized (fork) {
            synchronized (knife) { // expect: lock-order
                meals++;
            }
        }
    }

    void eatRight() {
        synchronized (knife) {
            grab(); // expect: lock-order
        }
    }

    private void grab() {
        synchronized (fork) {
            meals++;
        }
    }

    void season() {
        synchronized (fork) {
            synchronized (salt) {
                meals++;
            }
        }
    }

    void seasonAgain() {
        synchronized (salt) {
            meals++;
        }
        synchronized (fork) {
            meals--;
        }
    }

    void serve() {
        synchronized (salt) {
            served = true;
            salt.notifyAll();
        }
    }

    void awaitServed() throws InterruptedException {
        synchronized (salt) {
            while (!served) {
                salt.wait();
            }
        }
    }

    void awaitServedOnce() throws InterruptedException {
        synchronized (salt) {
            salt.wait(); // expect: wait-outside-loop
        }
    }

    synchronized void pause(long millis) throws InterruptedException {
        long end = System.currentTimeMillis() + millis;
        long now = System.currentTimeMillis();
        while (now < end) {
            wait(end - now);
            now = System.currentTimeMillis();
        }
    }

    int count(boolean all) {
        int n = meals;
        if (!all) {
            n = n / 2;
        }
        int half = n / 2; // expect: unused-definition
        return n;
    }
}
