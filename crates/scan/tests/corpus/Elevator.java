import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class Elevator {
    private final Lock door = new ReentrantLock();
    private final Condition moved = door.newCondition();
    private int floor;
    private final int[] calls = new int[20];
    private boolean broken;

    public void call(int f) {
        door.lock();
        try {
            calls[f]++;
            moved.signalAll();
        } finally {
            door.unlock();
        }
    }

    public int next() {
        door.lock(); // expect: unreleased-lock
        for (int f = floor; f < 20; f++) {
            if (calls[f] > 0) {
                door.unlock();
                return f;
            }
        }
        for (int f = floor; f >= 0; f--) {
            if (calls[f] > 0) {
                door.unlock();
                return f;
            }
        }
        return -1;
    }

    public void ride(int to) throws InterruptedException {
        door.lock();
        try {
            while (floor != to && !broken) {
                moved.await();
            }
            if (broken) {
                throw new IllegalStateException("broken");
            }
        } finally {
            door.unlock();
        }
    }

    public boolean rideOnce(int to) throws InterruptedException {
        door.lock();
        try {
            if (floor != to) {
                moved.await(); // expect: wait-outside-loop
            }
            return floor == to;
        } finally {
            door.unlock();
        }
    }

    public void repair() {
        if (broken) {
            door.lock();
        }
        broken = false;
        door.unlock(); // expect: unlock-without-lock
    }

    public int sum() {
        int s = 0;
        int old = s; // expect: unused-definition
        for (int c : calls) {
            s += c;
        }
        return s;
    }

    public String state() {
        String s = null;
        for (int i = 0; i < 20; i++) {
            if (calls[i] > 5) {
                s = "busy";
            }
        }
        return s.trim(); // expect: null-dereference
    }

    public int direction(int to) {
        int d = Integer.compare(to, floor);
        if (d == 0) {
            return 0;
        }
        return d > 0 ? 1 : -1;
    }
}
