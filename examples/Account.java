import java.util.concurrent.locks.ReentrantLock;

/** Two accounts that are guarded by a lock. */
public class Account {
    private final ReentrantLock lock = new ReentrantLock();
    private int balance;
    private int unused;

    void deposit(int amount) {
        lock.lock();
        try {
            balance += check(amount);
        } finally {
            lock.unlock();
        }
    }

    void withdraw(int amount) {
        lock.lock();
        balance -= check(amount);
        lock.unlock();
    }

    private static int check(int amount) {
        if (amount < 0) {
            throw new IllegalArgumentException("negative amount");
        }
        return amount;
    }

    public static void main(String[] arguments) {
        Account account = new Account();
        account.deposit(arguments.length);
        account.withdraw(1);
    }
}
