import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
/** Threads, lock order through calls, locks in loops. */
class Feeders {
    private final Lock in = new ReentrantLock(), out = new ReentrantLock();
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final List<String> done = new ArrayList<>();
    private volatile boolean stopped;
    void feed(String s) {
        in.lock();
        try {
            flush(); // allow: lock-order
        } finally {
            in.unlock();
        }
    }
    private void flush() {
        out.lock();
        try {
            done.clear();
        } finally {
            out.unlock();
        }
    }
    void drain() {
        out.lock();
        try {
            in.lock(); // expect: lock-order
            try {
                done.add("x");
            } finally {
                in.unlock();
            }
        } finally {
            out.unlock();
        }
    }
    void each(List<String> all) {
        for (String s : all) {
            in.lock(); // expect: unreleased-lock
            if (s.isEmpty()) continue;
            done.add(s);
            in.unlock();
        }
    }
    void eachSafe(List<String> all) {
        for (String s : all) {
            in.lock();
            try {
                if (s.isEmpty()) continue;
                done.add(s);
            } finally {
                in.unlock();
            }
        }
    }
    void run() {
        while (!stopped) {
            try {
                String s = queue.poll(1, TimeUnit.SECONDS);
                if (s != null) feed(s.trim());
            } catch (InterruptedException e) {
                return;
            }
        }
    }
    int next() throws InterruptedException {
        String s = queue.poll(1, TimeUnit.SECONDS);
        return s.length(); // expect: unchecked-null-result
    }
    void again() {
        in.lock();
        in.lock(); // allow: double-lock
        try {
            done.clear();
        } finally {
            in.unlock();
            in.unlock();
        }
    }
    void once() {
        in.lock();
        in.lock(); // expect: unreleased-lock
        try {
            done.clear();
        } finally {
            in.unlock();
        }
    }
    void stop() { stopped = true; }
}
