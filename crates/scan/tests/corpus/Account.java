import java.util.*;
import java.util.concurrent.locks.*;
public class Account {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<String> history = new ArrayList<>();
    private long balance;
    private String owner;
    public void deposit(long amount) {
        if (amount <= 0) throw new IllegalArgumentException("amount");
        lock.lock();
        try { balance += amount; history.add("deposit " + amount); } finally { lock.unlock(); }
    }
    public boolean withdraw(long amount) {
        lock.lock(); // expect: unreleased-lock
        if (balance < amount) {
            history.add("refused");
            return false;
        }
        balance -= amount;
        lock.unlock();
        return true;
    }
    public long audit() throws AuditException {
        lock.lock(); // expect: unreleased-lock
        long sum = 0;
        for (String h : history) {
            if (h == null) throw new AuditException("broken");
            sum += h.length();
        }
        lock.unlock();
        return sum;
    }
    static class AuditException extends Exception { AuditException(String m) { super(m); } }
    public boolean transfer(Account to, long amount) {
        boolean mine = false, theirs = false;
        try {
            mine = lock.tryLock();
            theirs = to.lock.tryLock();
            if (mine && theirs) {
                balance -= amount; to.balance += amount;
                return true;
            }
            return false;
        } finally {
            if (theirs) to.lock.unlock();
            if (mine) lock.unlock();
        }
    }
    public int ownerLength() {
        if (owner == null) { System.err.println("no owner"); }
        return owner.length(); // expect: null-dereference
    }
    public String describe() {
        String o = owner;
        if (o == null) o = "nobody";
        return o.trim() + " " + balance;
    }
    public Optional<String> last() {
        lock.lock();
        try { return history.isEmpty() ? Optional.empty() : Optional.of(history.get(history.size() - 1)); }
        finally { lock.unlock(); }
    }
    public void clear() { lock.lock(); history.clear(); lock.unlock(); }
    public void resetTwice() {
        lock.lock();
        balance = 0;
        lock.unlock();
        lock.unlock(); // expect: unlock-without-lock
    }
}
