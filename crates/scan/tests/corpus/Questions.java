import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Questions that are asked twice: the second answer is that of the first. */
class Questions {
    private final Map<String, Questions> all = new HashMap<>();
    private final Lock lock = new ReentrantLock();
    private Questions other;
    private int size;
    private boolean open;
    private final boolean safe;

    Questions(boolean safe) {
        this.safe = safe;
    }

    boolean isSafe() {
        return safe;
    }

    Questions find(String name) {
        for (Map.Entry<String, Questions> e : all.entrySet()) {
            if (e.getKey().startsWith(name)) {
                return e.getValue();
            }
        }
        return null;
    }

    Questions getFirst() {
        for (Questions a : all.values()) {
            if (a.size > 0) {
                return a;
            }
        }
        return null;
    }

    boolean isOpen() {
        return open;
    }

    void close(int n) {
        open = n > size;
    }

    int twice() {
        if (getFirst() != null) {
            return getFirst().size;
        }
        return 0;
    }

    static int twiceOfOther(Questions a) {
        if (a.getFirst() == null) {
            throw new IllegalStateException();
        }
        a.all.remove("x");
        return a.getFirst().size;
    }

    int sameName(String name) {
        return find(name) == null ? 0 : find(name).size;
    }

    int otherName(String name, String second) {
        return find(name) == null ? 0 : find(second).size; // expect: null-dereference
    }

    int ofOther(Questions a, Questions b) {
        return a.getFirst() == null ? 0 : b.getFirst().size; // expect: null-dereference
    }

    void guarded() {
        if (isSafe()) {
            lock.lock();
        }
        size++;
        if (isSafe()) {
            lock.unlock();
        }
    }

    void closedBetween(int n) {
        if (isOpen()) {
            lock.lock(); // expect: unreleased-lock
        }
        close(n);
        if (isOpen()) {
            lock.unlock(); // expect: unlock-without-lock
        }
    }

    private static boolean tossed() {
        return new java.util.Random().nextBoolean();
    }

    static int tossedTwice() {
        String s = null;
        if (tossed()) {
            s = "heads";
        }
        if (tossed()) {
            return s.length(); // expect: null-dereference
        }
        return 0;
    }

    int tooLate() {
        if (getFirst() == null) {
            size++;
        }
        return getFirst().size; // expect: null-dereference
    }
}

/** The same question twice, with code in between that writes what the answer depends on. */
class Handlers {
    static class Handler {
        String name;
        int count;
    }

    private final java.util.List<Handler> all = new java.util.ArrayList<>();
    private String wanted;

    Handler handler() {
        for (Handler h : all) {
            if (h.name.equals(wanted)) {
                return h;
            }
        }
        return null;
    }

    void note(Handler h) {
        wanted = h.name;
    }

    int told() {
        if (handler() != null) {
            note(new Handler());
            return handler().count;
        }
        return 0;
    }

    int toldToNobody() {
        if (handler() == null) {
            note(new Handler());
        }
        return handler().count; // expect: null-dereference
    }
}
