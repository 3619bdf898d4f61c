import java.util.Comparator;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Runs tasks at their times. */
public class TaskScheduler {
    static final class Task {
        final String name;
        final long due;
        Runnable body;

        Task(String name, long due) {
            this.name = name;
            this.due = due;
        }
    }

    private final PriorityQueue<Task> queue = new PriorityQueue<>(Comparator.comparingLong((Task t) -> t.due));
    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private final Map<String, Task> byName = new ConcurrentHashMap<>();
    private volatile boolean stopped;

    public synchronized void add(Task t) {
        queue.add(t);
        byName.put(t.name, t);
        notifyAll();
    }

    public synchronized Task take() throws InterruptedException {
        while (queue.isEmpty()) {
            wait();
        }
        return queue.poll();
    }

    public synchronized Task takeHasty() throws InterruptedException {
        if (queue.isEmpty()) {
            wait(); // expect: wait-outside-loop
        }
        return queue.poll();
    }

    public void worker() throws InterruptedException {
        while (true) {
            Runnable r = work.take();
            r.run();
        }
    }

    public void poll() throws InterruptedException {
        while (!stopped) {
            Runnable r = work.poll(10, TimeUnit.MILLISECONDS);
            if (r != null) {
                r.run();
            }
        }
    }

    public void pollOnce() throws InterruptedException {
        Runnable r = work.poll(10, TimeUnit.MILLISECONDS);
        r.run(); // expect: unchecked-null-result
    }

    public void shut(ExecutorService e) throws InterruptedException {
        e.shutdown();
        if (!e.awaitTermination(1, TimeUnit.SECONDS)) {
            e.shutdownNow();
        }
    }

    public void both(CountDownLatch a) throws InterruptedException {
        a.await(5, TimeUnit.SECONDS); // expect: ignored-result
        stopped = true;
    }

    public boolean bothRight(CountDownLatch a) throws InterruptedException {
        boolean done = a.await(5, TimeUnit.SECONDS);
        stopped = done;
        return done;
    }

    public long dueOf(String name) {
        Task t = byName.get(name);
        return t != null ? t.due : -1;
    }

    private Task find(String name) {
        for (Task t : queue) {
            if (t.name.equals(name)) {
                return t;
            }
        }
        return null;
    }

    public long delay(String name, long now) {
        Task t = find(name);
        return t.due - now; // expect: null-dereference
    }

    public long delayRight(String name, long now) {
        Task t = find(name);
        if (t == null) {
            return 0;
        }
        return t.due - now;
    }
}
