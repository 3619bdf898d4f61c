import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Elements of queues that are empty or not, and answers that nobody tests. */
class Backlog {
    static class Task {
        String name;
        int cost;
    }

    private final Deque<Task> tasks = new ArrayDeque<>();
    private final ConcurrentLinkedQueue<Task> done = new ConcurrentLinkedQueue<>();

    int next() {
        Task t = tasks.pollFirst();
        return t == null ? 0 : t.cost;
    }

    int later() {
        Task t = tasks.pollLast();
        return t == null ? 0 : t.cost;
    }

    int borrowed() {
        Task t;
        if (tasks.isEmpty()) {
            t = new Task();
        } else {
            t = tasks.pollFirst();
            t.name = "borrowed";
        }
        return t.cost;
    }

    int careless() {
        Task t = tasks.pollFirst();
        return t.cost; // expect: unchecked-null-result
    }

    int otherQueue() {
        if (!done.isEmpty()) {
            return tasks.pollFirst().cost; // expect: unchecked-null-result
        }
        return 0;
    }

    int wrongSide() {
        if (tasks.isEmpty()) {
            return tasks.pollFirst().cost; // missed: unchecked-null-result
        }
        return 0;
    }
}

/** A queue of the program. */
class Rack {
    private final java.util.List<Backlog.Task> all = new java.util.ArrayList<>();

    boolean isEmpty() {
        return all.isEmpty();
    }

    Backlog.Task pollFirst() {
        for (Backlog.Task t : all) {
            if (t.cost >= 0) {
                all.remove(t);
                return t;
            }
        }
        return null;
    }

    static int tested(Rack r) {
        Backlog.Task t = r.pollFirst();
        return t == null ? 0 : t.cost;
    }

    static int testedToo(Rack r) {
        Backlog.Task t = r.pollFirst();
        if (t != null) {
            return t.cost;
        }
        return -1;
    }

    static String name(Rack r) {
        Backlog.Task t = r.pollFirst();
        return t == null ? "none" : t.name;
    }

    static boolean isDear(Rack r) {
        Backlog.Task t = r.pollFirst();
        return t != null && t.cost > 90;
    }

    static int guarded(Rack r) {
        if (r.isEmpty()) {
            return 0;
        }
        return r.pollFirst().cost;
    }

    static int ofAnother(Rack r, Rack other) {
        if (r.isEmpty()) {
            return 0;
        }
        return other.pollFirst().cost; // expect: null-dereference
    }
}

/** What nobody tests. */
class Labelled {
    static String label(int kind, int size) {
        if (kind * size > 90) {
            return null;
        }
        return "k" + kind;
    }

    static int first(int size) {
        return label(size, size).length();
    }

    static int second(int size) {
        return label(size, -size).length();
    }

    static int third(int size, int kind) {
        return label(kind, size).trim().length();
    }
}
