import java.util.LinkedList;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that wait and loop. */
class Workers implements Runnable {
    private final BlockingQueue<Runnable> queue;
    private final Queue<String> messages = new LinkedList<>();
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean stopped;
    private boolean plain;

    Workers(BlockingQueue<Runnable> queue) {
        this.queue = queue;
    }

    @Override
    public void run() {
        while (true) {
            try {
                queue.take().run();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    void spin() {
        while (!done.get()) {
            Thread.onSpinWait();
        }
    }

    void spinVolatile() {
        while (!stopped) {
            Thread.yield();
        }
    }

    int increment() {
        for (;;) {
            int n = count.get();
            if (count.compareAndSet(n, n + 1)) {
                return n;
            }
        }
    }

    void never(String text) {
        int n = 0;
        for (;;) { // expect: endless-loop
            n += text.length();
            messages.offer(text + n);
        }
    }

    synchronized String receive() throws InterruptedException {
        while (messages.isEmpty()) {
            wait();
        }
        return messages.poll();
    }

    synchronized String receiveOnce() throws InterruptedException {
        if (messages.isEmpty()) {
            wait(); // expect: wait-outside-loop
        }
        return messages.poll();
    }

    synchronized String receiveFor(long millis) throws InterruptedException {
        long end = System.currentTimeMillis() + millis;
        while (messages.isEmpty()) {
            long left = end - System.currentTimeMillis();
            if (left <= 0) {
                return null;
            }
            wait(left);
        }
        return messages.poll();
    }

    synchronized void send(String text) {
        messages.offer(text);
        notifyAll();
    }

    boolean latch(CountDownLatch latch) throws InterruptedException {
        latch.await(1, TimeUnit.SECONDS); // expect: ignored-result
        return latch.getCount() == 0;
    }

    int tries(int most) {
        int tries = 0;
        boolean ok = false;
        while (!ok && tries < most) {
            tries++;
            ok = count.get() > 0;
        }
        return tries;
    }

    int forgotten(int most) {
        int tries = 0;
        boolean ok = false;
        while (!ok) { // expect: endless-loop
            tries++;
            System.out.println(tries);
        }
        return most;
    }

    void plain() throws InterruptedException {
        while (!plain) {
            Thread.sleep(10);
        }
    }
}
