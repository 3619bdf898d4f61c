import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;

/** Loops and recursion, with and without an end. */
class Endless {
    private volatile boolean stopped;
    private int total;

    static int stuck(int n) {
        int i = 0;
        int sum = 0;
        while (i < n) { // allow: endless-loop
            sum += i;
        }
        return sum;
    }

    static int stuckSure() {
        int i = 0;
        int sum = 0;
        while (i < 10) { // expect: endless-loop
            sum += i;
        }
        return sum;
    }

    static void forever() {
        int i = 0;
        while (true) { // expect: endless-loop
            i++;
        }
    }

    static void wrongWay() {
        for (int i = 0; i >= 0; i = (i + 1) % 100) { // expect: endless-loop
            System.out.println(i);
        }
    }

    static int broken(int n) {
        int i = 0;
        while (true) {
            if (i * i > n) {
                break;
            }
            i++;
        }
        return i;
    }

    void waits() {
        while (!stopped) {
            Thread.onSpinWait();
        }
    }

    void worker(BlockingQueue<Runnable> tasks) throws InterruptedException {
        while (true) {
            tasks.take().run();
        }
    }

    static int readAll(InputStream in) throws IOException {
        int n = 0;
        while (true) {
            int b = in.read();
            if (b < 0) {
                return n;
            }
            n++;
        }
    }

    static int iterate(List<Integer> all) {
        Iterator<Integer> it = all.iterator();
        int sum = 0;
        while (it.hasNext()) {
            sum += it.next();
        }
        return sum;
    }

    static int halve(int n) {
        int steps = 0;
        while (n > 1) {
            n /= 2;
            steps++;
        }
        return steps;
    }

    static int continues(int[] all) {
        int i = 0;
        int sum = 0;
        while (i < all.length) {
            if (all[i] < 0) {
                i++;
                continue;
            }
            sum += all[i++];
        }
        return sum;
    }

    static int factorial(int n) {
        return n * factorial(n - 1); // expect: endless-recursion
    }

    static int factorialRight(int n) {
        return n <= 1 ? 1 : n * factorialRight(n - 1);
    }

    boolean even(int n) {
        return odd(n - 1); // expect: endless-recursion
    }

    boolean odd(int n) {
        return even(n - 1); // allow: endless-recursion
    }

    boolean evenRight(int n) {
        return n == 0 || oddRight(n - 1);
    }

    boolean oddRight(int n) {
        return n != 0 && evenRight(n - 1);
    }

    int getTotal() {
        return getTotal(); // expect: endless-recursion
    }

    int depth(Endless[] children) {
        int most = 0;
        for (Endless child : children) {
            most = Math.max(most, child.depth(children));
        }
        return most + 1;
    }

    @Override
    public String toString() {
        return "Endless " + total;
    }
}
