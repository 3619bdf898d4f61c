import java.util.ArrayList;
import java.util.List;

/** Locks of objects of one class, taken one after the other. */
class Reentrant {
    private final List<Reentrant> parts = new ArrayList<>();
    private int size;

    synchronized void refresh(List<Reentrant> more) {
        insert(this, more);
    }

    /** Only called with the object itself: its lock is held already. */
    private synchronized void insert(Reentrant into, List<Reentrant> more) {
        for (Reentrant one : more) {
            synchronized (into) {
                into.parts.add(one);
            }
        }
    }

    void move(Reentrant other, int count) {
        take(other, count);
    }

    void clear() {
        take(this, size);
    }

    private synchronized void take(Reentrant from, int count) {
        size += count;
        synchronized (from) { // expect: lock-order
            from.size -= count;
        }
    }
}
