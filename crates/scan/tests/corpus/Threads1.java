import java.io.*;
import java.util.concurrent.*;
class Threads1 {
    static int run(String... cmd) throws IOException, InterruptedException {
        Process p = new ProcessBuilder(cmd).start();
        try (BufferedReader r = new BufferedReader(new InputStreamReader(p.getInputStream()))) {
            String s;
            while ((s = r.readLine()) != null) System.out.println(s);
        }
        return p.waitFor();
    }
    static String first(String... cmd) throws IOException {
        Process p = new ProcessBuilder(cmd).start();
        BufferedReader r = new BufferedReader(new InputStreamReader(p.getInputStream()));
        String s = r.readLine();
        return s.trim(); // expect: unchecked-null-result
    }
    static int parallel(Callable<Integer> a, Callable<Integer> b) throws Exception {
        ExecutorService ex = Executors.newFixedThreadPool(2);
        try {
            Future<Integer> x = ex.submit(a), y = ex.submit(b);
            return x.get() + y.get();
        } finally {
            ex.shutdown();
        }
    }
    static void await(CountDownLatch l) throws InterruptedException {
        l.await(1, TimeUnit.SECONDS); // expect: ignored-result
    }
    static boolean awaited(CountDownLatch l) throws InterruptedException { return l.await(1, TimeUnit.SECONDS); }
    private Object signal = new Object();
    private boolean done;
    void block() throws InterruptedException {
        synchronized (signal) { while (!done) signal.wait(); }
    }
    void blockOnce() throws InterruptedException {
        synchronized (signal) { signal.wait(); } // expect: wait-outside-loop
    }
    void finish() { synchronized (signal) { done = true; signal.notifyAll(); } }
    static void rename(File a, File b) throws IOException {
        if (!a.renameTo(b)) throw new IOException("rename");
    }
    static void renameBad(File a, File b) { a.renameTo(b); } // expect: ignored-result
    static void delete(File a) { a.delete(); }
}
