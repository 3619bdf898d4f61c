import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Locks behind an interface, of which one class does nothing. */
class Mutexes {
    interface Mutex {
        void enter();

        void leave();
    }

    static class RealMutex implements Mutex {
        private final Lock lock = new ReentrantLock();

        @Override
        public void enter() {
            lock.lock();
        }

        @Override
        public void leave() {
            lock.unlock();
        }
    }

    static class NoMutex implements Mutex {
        @Override
        public void enter() {
        }

        @Override
        public void leave() {
        }
    }

    static class Handle {
        private final Mutex mutex;

        Handle(boolean isShared) {
            mutex = isShared ? new RealMutex() : new NoMutex();
        }

        Mutex getMutex() {
            return mutex;
        }
    }

    private final Handle handle;
    private final List<String> names = new ArrayList<>();

    Mutexes(Handle handle) {
        this.handle = handle;
    }

    int size() {
        handle.getMutex().enter();
        try {
            return names.size();
        } finally {
            handle.getMutex().leave();
        }
    }

    String first() {
        handle.getMutex().enter(); // expect: unreleased-lock
        if (names.isEmpty()) {
            return null;
        }
        handle.getMutex().leave();
        return names.get(0);
    }

    /** One that counts, and forgets to give back what the class above it takes. */
    interface Gate {
        void shut();

        void open();
    }

    static class PlainGate implements Gate {
        protected final Lock lock = new ReentrantLock();

        @Override
        public void shut() {
            lock.lock();
        }

        @Override
        public void open() {
            lock.unlock();
        }
    }

    static class CountingGate extends PlainGate {
        private int count;

        @Override
        public void open() {
            count++;
        }

        int count() {
            return count;
        }
    }

    private final Gate gate = new PlainGate();

    Gate gate(boolean counts) {
        return counts ? new CountingGate() : gate;
    }

    static int through(Gate gate, List<String> names) {
        gate.shut(); // expect: unreleased-lock
        try {
            return names.size();
        } finally {
            gate.open();
        }
    }
}
