import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Runs jobs, a few at a time. */
public class JobRunner {
    private final Semaphore slots = new Semaphore(3);
    private final BlockingQueue<Callable<String>> queue = new LinkedBlockingQueue<>();
    private final AtomicBoolean stop = new AtomicBoolean();
    private final ExecutorService pool;

    public JobRunner(ExecutorService pool) {
        this.pool = pool;
    }

    public String runOne(Callable<String> job) throws Exception {
        slots.acquire();
        try {
            return job.call();
        } finally {
            slots.release();
        }
    }

    public String runLeaks(Callable<String> job) throws Exception {
        slots.acquire(); // expect: unreleased-lock
        String s = job.call();
        slots.release();
        return s;
    }

    public String next() throws Exception {
        Callable<String> c = queue.poll(1, TimeUnit.SECONDS);
        if (c == null) {
            return "";
        }
        return c.call();
    }

    public String nextWrong() throws Exception {
        Callable<String> c = queue.poll(1, TimeUnit.SECONDS);
        return c.call(); // expect: unchecked-null-result
    }

    public void work() throws Exception {
        while (!stop.get()) {
            Callable<String> c = queue.take();
            System.out.println(c.call());
        }
    }

    public List<String> all(List<Callable<String>> jobs) throws InterruptedException {
        List<String> results = new ArrayList<>();
        for (Future<String> f : pool.invokeAll(jobs)) {
            try {
                results.add(f.get());
            } catch (ExecutionException e) {
                results.add(null);
            }
        }
        return results;
    }

    public boolean enter() throws InterruptedException {
        slots.tryAcquire(1, TimeUnit.SECONDS); // expect: ignored-result
        return true;
    }

    public boolean tryRun(Runnable r) {
        if (slots.tryAcquire()) {
            try {
                r.run();
            } finally {
                slots.release();
            }
            return true;
        }
        return false;
    }

    public void spin() {
        boolean busy = true;
        int n = 0;
        while (busy) { // expect: endless-loop
            n++;
            System.out.println(n);
        }
    }

    public void spinRight() {
        boolean busy = true;
        int n = 0;
        while (busy) {
            n++;
            if (n > 100) {
                busy = false;
            }
        }
    }

    public int drain() {
        int n = 0;
        while (queue.poll() != null) {
            n++;
        }
        return n;
    }
}
