import java.util.*;
import java.util.concurrent.*;
public class Tasks {
    private final Object monitor = new Object();
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private volatile boolean running = true;
    private int pending;
    public void submit(Runnable r) {
        Objects.requireNonNull(r, "task");
        synchronized (monitor) { queue.add(r); pending++; monitor.notify(); }
    }
    public Runnable next() throws InterruptedException {
        synchronized (monitor) {
            while (queue.isEmpty()) {
                if (!running) return null;
                monitor.wait();
            }
            return queue.poll();
        }
    }
    public void runOne() throws InterruptedException {
        Runnable r = next();
        r.run(); // expect: null-dereference
    }
    public void runAll() throws InterruptedException {
        for (Runnable r = next(); r != null; r = next()) r.run();
    }
    public void awaitEmpty() throws InterruptedException {
        synchronized (monitor) { if (pending > 0) monitor.wait(); } // expect: wait-outside-loop
    }
    public void awaitEmptyRight() throws InterruptedException {
        synchronized (monitor) { while (pending > 0) monitor.wait(100); }
    }
    public void stop() { running = false; synchronized (monitor) { monitor.notifyAll(); } }
    public void spin() { while (running) { Thread.yield(); } }
    static int collatz(long n) {
        int steps = 0;
        while (n != 1) { n = n % 2 == 0 ? n / 2 : 3 * n + 1; steps++; }
        return steps;
    }
    static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
    static int sum(int[] a, int i) { return a[i] + sum(a, i + 1); } // expect: endless-recursion
    static boolean contains(List<Integer> l, int x) {
        boolean found = false;
        for (int y : l) { if (y == x) { found = true; break; } }
        return found;
    }
    static int digits(int n) {
        int d = 0;
        while (d >= 0) { // allow: endless-loop
            n = n / 10;
            d = d + 1 > 100 ? 0 : d + 1;
        }
        return d;
    }
    static String pad(String s, int n) {
        StringBuilder b = new StringBuilder(s);
        while (b.length() < n) b.append(' ');
        return b.toString();
    }
    static int parse(String s) {
        int r = 0;
        try { r = Integer.parseInt(s); }
        catch (NumberFormatException e) { r = -1; }
        finally { System.out.println("done"); }
        return r;
    }
    static int first(Map<String, List<String>> m, String k) {
        List<String> l = m.get(k);
        if (l == null) { l = new ArrayList<>(); m.put(k, l); }
        return l.size();
    }
    static <T> T firstOf(Collection<T> c) { return c.isEmpty() ? null : c.iterator().next(); }
    static int lengthOfFirst(Collection<String> c) {
        String s = firstOf(c);
        return s.length(); // expect: null-dereference
    }
    static String status(int code) {
        if (code >= 200 && code < 300) return "ok";
        if (code >= 300 && code < 400) return "moved";
        if (code >= 400) return "error";
        if (code >= 500) return "server"; // expect: decided-branch
        return "?";
    }
    static String level(int n) {
        switch (n) { case 0: return "none"; case 1: return "low"; default: return n < 0 ? "bad" : "high"; }
    }
    static int unused(int a, int b) {
        int c = a + b;
        int d = a - b; // expect: unused-definition
        d = a * b;
        return c + d;
    }
    static int loopVar(List<String> l) { int n = 0; for (String s : l) n++; return n; }
    static int pick(boolean a, boolean b) {
        String s = null;
        if (a && b) s = "both";
        else if (a) s = "one";
        return a ? s.length() : 0;
    }
    enum Mode { READ, WRITE }
    static int mode(Mode m) {
        String s = null;
        if (m == Mode.WRITE) s = "w";
        int n = 0;
        if (m == Mode.WRITE) n = s.length();
        return n;
    }
    static int mask(int flags) {
        String s = null;
        if ((flags & 4) != 0) s = "x";
        return (flags & 4) != 0 ? s.length() : 0;
    }
    static int text(String mode) {
        String s = null;
        if ("w".equals(mode)) s = "write";
        if ("w".equals(mode)) return s.length();
        return 0;
    }
    static Future<Integer> go(ExecutorService e, Callable<Integer> c) { return e.submit(c); }
}
