import java.util.Iterator;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** Sessions of users. */
public class SessionStore {
    static class Session {
        final String id = UUID.randomUUID().toString();
        String user;
        long seen;

        boolean isOld(long now) {
            return now - seen > 1000;
        }
    }

    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final Lock lock = new ReentrantLock();
    private final Condition empty = lock.newCondition();
    private Session last;

    Session open(String user) {
        Session s = new Session();
        s.user = user;
        sessions.put(s.id, s);
        last = s;
        return s;
    }

    String userOf(String id) {
        Session s = sessions.get(id);
        return s != null ? s.user : null;
    }

    int userLength(String id) {
        String u = userOf(id);
        if (u == null) {
            return 0;
        }
        return u.length();
    }

    long seenOf(String id) {
        Session s = sessions.get(id);
        if (s == null) {
            System.err.println("no session " + id);
        }
        return s.seen; // expect: null-dereference
    }

    long seenOr(String id, long other) {
        Session s = sessions.get(id);
        if (s == null) {
            return other;
        }
        return s.seen;
    }

    void expire(long now) {
        for (Iterator<Session> i = sessions.values().iterator(); i.hasNext();) {
            Session s = i.next();
            if (s.isOld(now)) {
                i.remove();
            }
        }
        signal();
    }

    private void signal() {
        lock.lock();
        try {
            if (sessions.isEmpty()) {
                empty.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    void awaitEmpty() throws InterruptedException {
        lock.lock();
        try {
            while (!sessions.isEmpty()) {
                empty.await();
            }
        } finally {
            lock.unlock();
        }
    }

    void awaitEmptyOnce() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!sessions.isEmpty()) {
                empty.awaitUninterruptibly(); // expect: wait-outside-loop
            }
        } finally {
            lock.unlock();
        }
    }

    <T> T with(String id, Function<Session, T> f) {
        Session s = sessions.get(id);
        if (s == null) {
            return null;
        }
        lock.lock();
        try {
            return f.apply(s);
        } finally {
            lock.unlock();
        }
    }

    int touch(String id) {
        lock.lock(); // expect: unreleased-lock
        Session s = sessions.get(id);
        switch (id.length()) {
            case 0:
                return -1;
            case 36:
                if (s != null) {
                    s.seen = System.currentTimeMillis();
                }
                break;
            default:
                lock.unlock();
                return 0;
        }
        lock.unlock();
        return 1;
    }

    String lastUser() {
        if (last == null) {
            open("nobody");
        }
        return last.user;
    }
}
