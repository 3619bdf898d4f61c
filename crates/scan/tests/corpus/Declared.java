import java.io.FileInputStream;
import java.io.IOException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Methods without code that say what they throw. */
class Declared {
    interface Feed {
        int next() throws IOException;

        int size();
    }

    private final Lock lock = new ReentrantLock();
    private final Feed feed;

    Declared(Feed feed) {
        this.feed = feed;
    }

    native int fetch(int n) throws InterruptedException;

    int leftByFeed() throws IOException {
        lock.lock(); // expect: unreleased-lock
        int n = feed.next();
        lock.unlock();
        return n;
    }

    int leftByNative() throws InterruptedException {
        lock.lock(); // expect: unreleased-lock
        int n = fetch(3);
        lock.unlock();
        return n;
    }

    int guarded() throws IOException {
        lock.lock();
        try {
            return feed.next();
        } finally {
            lock.unlock();
        }
    }

    int quiet() {
        lock.lock();
        int n = feed.size();
        lock.unlock();
        return n;
    }

    int opened(String path) throws IOException {
        FileInputStream in = new FileInputStream(path); // expect: unclosed-resource
        int n = feed.next();
        in.close();
        return n;
    }

    int caught() {
        lock.lock();
        int n = 0;
        try {
            n = feed.next();
        } catch (IOException e) {
            n = -1;
        }
        lock.unlock();
        return n;
    }
}
