import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Listeners by topic. */
public class EventBus {
    static final class Event {
        final String topic;
        final Object data;

        Event(String topic, Object data) {
            this.topic = topic;
            this.data = data;
        }
    }

    private final Map<String, List<Consumer<Event>>> listeners = new ConcurrentHashMap<>();
    private final Object mutex = new Object();
    private final Object journal = new Object();
    private final List<Event> pending = new ArrayList<>();
    private boolean ready;

    void on(String topic, Consumer<Event> c) {
        listeners.computeIfAbsent(topic, t -> new CopyOnWriteArrayList<>()).add(c);
    }

    void fire(Event e) {
        List<Consumer<Event>> l = listeners.get(e.topic);
        if (l == null) {
            return;
        }
        for (Consumer<Event> c : l) {
            c.accept(e);
        }
    }

    void queue(Event e) {
        synchronized (mutex) {
            synchronized (journal) { // expect: lock-order
                pending.add(e);
            }
        }
    }

    void flush() {
        synchronized (journal) {
            synchronized (mutex) { // expect: lock-order
                pending.clear();
            }
        }
    }

    void awaitReady() throws InterruptedException {
        synchronized (mutex) {
            while (!ready) {
                mutex.wait();
            }
        }
    }

    void awaitReadyOnce() throws InterruptedException {
        synchronized (mutex) {
            if (!ready) {
                mutex.wait(100); // expect: wait-outside-loop
            }
        }
    }

    void pause() throws InterruptedException {
        synchronized (journal) {
            long end = System.nanoTime() + 1_000_000;
            long left;
            while ((left = end - System.nanoTime()) > 0) {
                journal.wait(left / 1_000_000 + 1);
            }
        }
    }

    void makeReady() {
        synchronized (mutex) {
            ready = true;
            mutex.notifyAll();
        }
    }

    Event last() {
        Event last = null;
        for (Iterator<Event> i = pending.iterator(); i.hasNext();) {
            last = i.next();
        }
        return last;
    }

    String lastTopic() {
        return last().topic; // expect: null-dereference
    }

    String lastTopicRight() {
        Event e = last();
        return e == null ? "" : e.topic;
    }

    int send(Event e) {
        int sent = 0;
        int failed = 0;
        for (Consumer<Event> c : listeners.getOrDefault(e.topic, List.of())) {
            try {
                c.accept(e);
                sent++;
            } catch (RuntimeException x) {
                failed++;
            }
        }
        if (failed > 0) {
            System.err.println(failed + " listeners failed");
        }
        return sent;
    }
}
