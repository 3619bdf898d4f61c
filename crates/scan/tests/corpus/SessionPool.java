import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
/** Read and write locks, pools of things. */
class SessionPool {
    static final class Session implements AutoCloseable {
        boolean open = true;
        String name;
        public void close() { open = false; }
        String send(String s) { if (!open) throw new IllegalStateException(); return s; }
    }
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<String, Session> sessions = new HashMap<>();
    private final Deque<Session> idle = new ArrayDeque<>();
    Session find(String name) {
        lock.readLock().lock();
        try {
            return sessions.get(name);
        } finally {
            lock.readLock().unlock();
        }
    }
    void put(String name, Session s) {
        lock.writeLock().lock();
        try {
            sessions.put(name, s);
        } finally {
            lock.writeLock().unlock();
        }
    }
    void putWrongly(String name, Session s) {
        lock.writeLock().lock(); // expect: unreleased-lock
        try {
            sessions.put(name, s);
        } finally {
            lock.readLock().unlock(); // expect: unlock-without-lock
        }
    }
    String ask(String name, String text) {
        Session s = sessions.get(name);
        return s == null ? null : s.send(text);
    }
    String askBadly(String name, String text) {
        return sessions.get(name).send(text); // expect: unchecked-null-result
    }
    Session borrow() {
        Session s = idle.poll();
        return s != null ? s : new Session();
    }
    String borrowed() {
        return idle.poll().name; // expect: unchecked-null-result
    }
    String closed(String text) {
        Session s = new Session();
        s.close();
        return s.send(text); // missed: use-after-close
    }
}
