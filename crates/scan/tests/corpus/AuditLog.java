import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.FileWriter;
import java.io.Flushable;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;

/** Appends lines to a file, one writer at a time. */
public final class AuditLog implements Closeable, Flushable {
    private final ReentrantLock lock = new ReentrantLock();
    private final BufferedWriter out;
    private long lines;

    public AuditLog(String name) throws IOException {
        out = new BufferedWriter(new FileWriter(name, true));
    }

    public void append(String text) throws IOException {
        lock.lock();
        try {
            out.write(Instant.now() + " " + text);
            out.newLine();
            lines++;
        } finally {
            lock.unlock();
        }
    }

    public void appendAll(Iterable<String> texts) throws IOException {
        lock.lock(); // expect: unreleased-lock
        for (String t : texts) {
            out.write(t);
            out.newLine();
            lines++;
        }
        lock.unlock();
    }

    public boolean tryAppend(String text) throws IOException {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            append(text);
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    public long lines() {
        lock.lock();
        try {
            return lines;
        } finally {
            lock.unlock();
        }
    }

    public long linesUnlocked() {
        try {
            return lines;
        } finally {
            lock.unlock(); // expect: unlock-without-lock
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    static void once(String name, String text) throws IOException {
        AuditLog log = new AuditLog(name);
        try {
            log.append(text);
        } finally {
            log.close();
        }
    }

    static void onceLeaks(String name, String text) throws IOException {
        AuditLog log = new AuditLog(name); // expect: unclosed-resource
        log.append(text);
        log.flush();
    }

    static void late(String name, String text) throws IOException {
        BufferedWriter w = new BufferedWriter(new FileWriter(name));
        try {
            w.write(text);
        } finally {
            w.close();
        }
        w.newLine(); // expect: use-after-close
    }
}
