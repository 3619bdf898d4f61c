import java.util.Iterator;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Consumer;

/** What others may do: by overriding, by names of fields, by exceptions. */
public class Hooks {
    private static final AtomicIntegerFieldUpdater<Hooks> STATE =
            AtomicIntegerFieldUpdater.newUpdater(Hooks.class, "state");

    private volatile int state = 0;
    private Consumer<String> fallback;

    public void setFallback(Consumer<String> c) {
        fallback = c;
    }

    /** There to be overridden. */
    protected void reload() {
    }

    public void fire(String e) {
        if (fallback == null) {
            reload();
            fallback.accept(e);
        }
    }

    public void fireBadly(String e) {
        if (fallback == null) {
            fallback.accept(e); // expect: null-dereference
        }
    }

    boolean start() {
        return STATE.compareAndSet(this, 0, 1);
    }

    int next() {
        if (state == 1) {
            return 2;
        }
        return 3;
    }

    static void untilEmpty(Iterator<String> it) {
        while (true) {
            it.next();
        }
    }

    // @formatter:off
    static class Data { String id; Data up; int used; int use() { return used; } }
    // @formatter:on

    static String of(Data data) {
        return data.up.id;
    }

    enum Kind { A, B }

    private static String text(Kind kind) {
        switch (kind) {
            case A:
                return "a";
            case B:
                return "b";
            default:
                return null;
        }
    }

    static int length(Kind kind) {
        return text(kind).length();
    }

    interface Sized {
        int size();
    }

    /** What it asks may be of another class. */
    static final class Delegate implements Sized {
        private final Sized inner;

        Delegate(Sized inner) {
            this.inner = inner;
        }

        @Override
        public int size() {
            return inner.size();
        }
    }

    static class P0 implements Sized {
        @Override
        public int size() {
            return 0;
        }
    }

    static class P1 implements Sized {
        @Override
        public int size() {
            return 1;
        }
    }

    static class P2 implements Sized {
        @Override
        public int size() {
            return 2;
        }
    }

    static class P3 implements Sized {
        @Override
        public int size() {
            return 3;
        }
    }

    static class P4 implements Sized {
        @Override
        public int size() {
            return 4;
        }
    }

    static class P5 implements Sized {
        @Override
        public int size() {
            return 5;
        }
    }

    static class P6 implements Sized {
        @Override
        public int size() {
            return 6;
        }
    }

    static class P7 implements Sized {
        @Override
        public int size() {
            return 7;
        }
    }

    /** A lock that is taken again by code that may look at anything. */
    static final class Guarded {
        private final java.util.concurrent.locks.Lock lock =
                new java.util.concurrent.locks.ReentrantLock();
        private int n;

        void set(Sized what) {
            lock.lock();
            try {
                add(what);
            } finally {
                lock.unlock();
            }
        }

        private void add(Sized what) {
            int more = what.size();
            lock.lock();
            try {
                n += more;
            } finally {
                lock.unlock();
            }
        }
    }
}
