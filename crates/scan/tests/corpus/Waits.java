import java.util.LinkedList;
import java.util.Queue;

/** Waiting and signalling. */
class Waits {
    private final Queue<String> queue = new LinkedList<>();
    private boolean ready;

    synchronized String take() throws InterruptedException {
        while (queue.isEmpty()) {
            wait();
        }
        return queue.remove();
    }

    synchronized String takeWrong() throws InterruptedException {
        if (queue.isEmpty()) {
            wait(); // expect: wait-outside-loop
        }
        return queue.remove();
    }

    void put(String s) {
        synchronized (queue) {
            queue.add(s);
            queue.notifyAll();
        }
    }

    void until(long deadline) throws InterruptedException {
        synchronized (queue) {
            while (!ready) {
                long left = deadline - System.currentTimeMillis();
                if (left <= 0) {
                    return;
                }
                queue.wait(left);
            }
        }
    }

    void once() throws InterruptedException {
        synchronized (queue) {
            queue.wait(); // expect: wait-outside-loop
        }
    }

    void doLoop() throws InterruptedException {
        synchronized (this) {
            do {
                wait();
            } while (!ready);
        }
    }
}
