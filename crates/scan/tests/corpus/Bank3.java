import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Accounts, each with its lock. */
public class Bank3 {
    static class Account {
        final ReentrantLock lock = new ReentrantLock();
        final int id;
        long balance;

        Account(int id) {
            this.id = id;
        }
    }

    private final Map<Integer, Account> accounts = new HashMap<>();

    boolean withdraw(Account a, long n) {
        a.lock.lock();
        try {
            if (a.balance < n) {
                return false;
            }
            a.balance -= n;
            return true;
        } finally {
            a.lock.unlock();
        }
    }

    boolean withdrawWrong(Account a, long n) {
        a.lock.lock(); // expect: unreleased-lock
        if (a.balance < n) {
            return false;
        }
        a.balance -= n;
        a.lock.unlock();
        return true;
    }

    boolean transfer(Account a, Account b, long n) {
        Account first = a.id < b.id ? a : b;
        Account second = first == a ? b : a;
        first.lock.lock();
        try {
            second.lock.lock();
            try {
                if (a.balance < n) {
                    return false;
                }
                a.balance -= n;
                b.balance += n;
                return true;
            } finally {
                second.lock.unlock();
            }
        } finally {
            first.lock.unlock();
        }
    }

    long total() {
        long sum = 0;
        for (Account a : accounts.values()) {
            a.lock.lock();
            sum += a.balance;
            a.lock.unlock();
        }
        return sum;
    }

    long totalWrong() {
        long sum = 0;
        for (Account a : accounts.values()) {
            a.lock.lock(); // expect: unreleased-lock
            if (a.balance < 0) {
                break;
            }
            sum += a.balance;
            a.lock.unlock();
        }
        return sum;
    }

    Account open(int id) {
        Account a = accounts.get(id);
        if (a == null) {
            a = new Account(id);
            accounts.put(id, a);
        }
        return a;
    }

    long balanceOf(int id) {
        Account a = accounts.get(id);
        if (a == null) {
            return 0;
        }
        return a.balance;
    }

    void close(int id) {
        Account a = accounts.remove(id);
        long left = 0;
        if (a != null) {
            left = a.balance; // allow: unused-definition
        }
        if (a == null && left > 0) { // expect: decided-branch
            System.out.println("lost");
        }
    }

    void lockedTwice(Account a) {
        a.lock.lock();
        try {
            a.lock.lock(); // expect: double-lock
            a.balance++;
        } finally {
            a.lock.unlock();
            a.lock.unlock();
        }
    }

    void unlockFirst(Account a) {
        ReentrantLock l = new ReentrantLock();
        l.unlock(); // expect: unlock-without-lock
        l.lock();
        a.balance++;
        l.unlock();
    }
}
