import java.util.*;
import java.util.concurrent.*;
class Spinning {
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();
    private volatile boolean running = true;
    void work() throws InterruptedException {
        while (running) {
            String s = queue.poll(1, TimeUnit.SECONDS);
            if (s == null) continue;
            counts.merge(s, 1, Integer::sum);
        }
    }
    void workBadly() throws InterruptedException {
        while (running) {
            String s = queue.poll(1, TimeUnit.SECONDS);
            counts.merge(s.trim(), 1, Integer::sum); // expect: unchecked-null-result
        }
    }
    void add(String s) {
        queue.offer(s);
    }
    int count(String s) {
        Integer n = counts.get(s);
        return n == null ? 0 : n;
    }
    int countBadly(String s) {
        return counts.get(s); // expect: unchecked-null-result
    }
    void spin() {
        boolean on = true;
        while (on) { // allow: decided-branch // missed: endless-loop
            Thread.onSpinWait();
        }
    }
    void stop() { running = false; }
    String peek() {
        String s = queue.peek();
        return s.trim(); // expect: unchecked-null-result
    }
    String takeOne() throws InterruptedException { return queue.take().trim(); }
    String pollAll() {
        StringBuilder b = new StringBuilder();
        String s;
        while ((s = queue.poll()) != null) b.append(s.trim());
        return b.toString();
    }
    Integer future(ExecutorService ex) throws Exception {
        Future<Integer> f = ex.submit(() -> counts.size());
        return f.get();
    }
}
