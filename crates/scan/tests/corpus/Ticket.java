import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** Seats under a lock for readers and writers. */
public class Ticket {
    private final ReadWriteLock rw = new ReentrantReadWriteLock();
    private final Lock read = rw.readLock();
    private final Lock write = rw.writeLock();
    private final boolean[] seats = new boolean[100];
    private int taken;

    public boolean isTaken(int i) {
        read.lock();
        try {
            return seats[i];
        } finally {
            read.unlock();
        }
    }

    public boolean take(int i) {
        write.lock();
        try {
            if (seats[i]) {
                return false;
            }
            seats[i] = true;
            taken++;
            return true;
        } finally {
            write.unlock();
        }
    }

    public int takeAny() {
        write.lock(); // expect: unreleased-lock
        for (int i = 0; i < seats.length; i++) {
            if (!seats[i]) {
                seats[i] = true;
                taken++;
                write.unlock();
                return i;
            }
        }
        return -1;
    }

    public int takeAnyRight() {
        write.lock();
        for (int i = 0; i < seats.length; i++) {
            if (!seats[i]) {
                seats[i] = true;
                taken++;
                write.unlock();
                return i;
            }
        }
        write.unlock();
        return -1;
    }

    public void downgrade(int i) {
        write.lock();
        try {
            seats[i] = false;
            read.lock();
        } finally {
            write.unlock();
        }
        try {
            System.out.println(taken);
        } finally {
            read.unlock();
        }
    }

    public void reset(boolean hard) {
        if (hard) {
            write.lock();
        } else {
            read.lock();
        }
        try {
            taken = 0;
        } finally {
            if (hard) {
                write.unlock();
            } else {
                read.unlock();
            }
        }
    }

    public void resetWrong(boolean hard) {
        if (hard) {
            write.lock(); // expect: unreleased-lock
        }
        taken = 0;
        if (!hard) {
            write.unlock(); // expect: unlock-without-lock
        }
    }

    public int left() {
        int n = 0;
        read.lock();
        try {
            for (boolean b : seats) {
                if (!b) n++;
            }
        } finally {
            read.unlock();
            read.unlock(); // expect: unlock-without-lock
        }
        return n;
    }
}
