import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A lock that one method takes, if nobody on this thread has it, and another gives back. */
class Holder {
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock other = new ReentrantLock();

    boolean take(long time) throws InterruptedException {
        return !lock.isHeldByCurrentThread() && lock.tryLock(time, TimeUnit.SECONDS);
    }

    void give() {
        lock.unlock();
    }

    void giveOther() {
        other.unlock(); // expect: unlock-without-lock
    }
}
