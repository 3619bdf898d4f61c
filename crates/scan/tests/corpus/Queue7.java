import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Queue;

/** Jobs in a queue. */
public class Queue7 {
    static class Job {
        String name = "";
        Job after;
    }

    private final Queue<Job> jobs = new ArrayDeque<>();
    private final LinkedList<Job> done = new LinkedList<>();

    synchronized void put(Job j) {
        jobs.add(j);
        notify();
    }

    synchronized Job get() throws InterruptedException {
        while (jobs.isEmpty()) {
            wait();
        }
        return jobs.remove();
    }

    synchronized Job getWithin(long millis) throws InterruptedException {
        long end = System.currentTimeMillis() + millis;
        while (jobs.isEmpty()) {
            long left = end - System.currentTimeMillis();
            if (left <= 0) {
                return null;
            }
            wait(left);
        }
        return jobs.poll();
    }

    synchronized Job getWrong() throws InterruptedException {
        try {
            wait(); // expect: wait-outside-loop
        } catch (InterruptedException e) {
            throw e;
        }
        return jobs.poll();
    }

    void runAll() {
        Job j;
        while ((j = jobs.poll()) != null) {
            done.add(j);
            System.out.println(j.name);
        }
    }

    String nextName() {
        Job j = jobs.peek();
        return j == null ? "" : j.name;
    }

    String chain(Job j) {
        StringBuilder b = new StringBuilder();
        for (Job k = j; k != null; k = k.after) {
            b.append(k.name);
        }
        return b.toString();
    }

    String lastName(Job j) {
        Job k = j;
        Job last = null;
        while (k != null) {
            last = k;
            k = k.after;
        }
        return last.name; // expect: null-dereference
    }

    void drop(List<Job> list, String name) {
        Iterator<Job> i = list.iterator();
        while (i.hasNext()) {
            if (i.next().name.equals(name)) {
                i.remove();
            }
        }
    }

    Job afterFirst(List<Job> list) {
        Iterator<Job> i = list.iterator();
        if (i.hasNext()) {
            i.next();
        }
        return i.next(); // expect: iterator-without-hasnext
    }

    int firsts(List<List<Job>> lists) {
        int n = 0;
        for (List<Job> l : lists) {
            Iterator<Job> i = l.iterator();
            if (i.hasNext()) {
                n += i.next().name.length();
            }
        }
        return n;
    }

    int busy(int n) {
        int k = n;
        do { // allow: endless-loop
            if (k > 100) {
                k = 0;
            }
            k++;
        } while (k >= 0); // allow: endless-loop, decided-branch
        return k;
    }

    void forEver(int n) {
        int k = n;
        boolean go = true;
        while (go) { // expect: endless-loop
            k = k * 31 + 7;
            System.out.println(k);
        }
    }
}
