import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Locks in different orders, by fields, monitors and methods. */
class Bank {
    private final Lock accounts = new ReentrantLock();
    private final Lock journal = new ReentrantLock();
    private final Object config = new Object();
    private final Object stats = new Object();
    private int balance;
    private int entries;

    void deposit(int n) {
        accounts.lock();
        try {
            journal.lock(); // expect: lock-order
            try {
                balance += n;
                entries++;
            } finally {
                journal.unlock();
            }
        } finally {
            accounts.unlock();
        }
    }

    void audit() {
        journal.lock();
        try {
            accounts.lock(); // expect: lock-order
            try {
                System.out.println(balance + entries);
            } finally {
                accounts.unlock();
            }
        } finally {
            journal.unlock();
        }
    }

    void configure() {
        synchronized (config) {
            synchronized (stats) {
                entries = 0;
            }
        }
    }

    void report() {
        synchronized (config) {
            count();
        }
    }

    private void count() {
        synchronized (stats) {
            entries++;
        }
    }

    private void begin() {
        accounts.lock();
    }

    private void end() {
        accounts.unlock();
    }

    int balance() {
        begin();
        try {
            return balance;
        } finally {
            end();
        }
    }

    int balanceBadly() {
        begin(); // expect: unreleased-lock
        if (balance < 0) {
            throw new IllegalStateException("overdrawn");
        }
        int n = balance;
        end();
        return n;
    }

    boolean tryBoth() {
        boolean first = accounts.tryLock();
        boolean second = journal.tryLock();
        try {
            if (first && second) {
                balance++;
                return true;
            }
            return false;
        } finally {
            if (second) {
                journal.unlock();
            }
            if (first) {
                accounts.unlock();
            }
        }
    }

    void twiceGiven() {
        accounts.lock();
        try {
            balance++;
            accounts.unlock();
        } finally {
            accounts.unlock(); // expect: unlock-without-lock
        }
    }

    void conditional(boolean safe) {
        if (safe) {
            accounts.lock();
        }
        balance++;
        if (safe) {
            accounts.unlock();
        }
    }

    void conditionalBadly(boolean safe, boolean really) {
        if (safe) {
            accounts.lock(); // expect: unreleased-lock
        }
        balance++;
        if (really) {
            accounts.unlock(); // allow: unlock-without-lock
        }
    }

    void inLoop(int[] all) {
        for (int it : all) {
            accounts.lock(); // expect: unreleased-lock
            if (it == 0) {
                break;
            }
            balance += it;
            accounts.unlock();
        }
    }

    void inLoopWell(int[] all) {
        for (int it : all) {
            accounts.lock();
            try {
                if (it == 0) {
                    continue;
                }
                balance += it;
            } finally {
                accounts.unlock();
            }
        }
    }

    private final class Session implements AutoCloseable {
        Session() {
            journal.lock();
        }

        void write(int n) {
            entries += n;
        }

        @Override
        public void close() {
            journal.unlock();
        }
    }

    void session(int n) {
        try (Session s = new Session()) {
            s.write(n);
        }
    }
}
