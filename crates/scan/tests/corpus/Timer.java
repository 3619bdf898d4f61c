import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Pairs by name, iterators, maps. */
class Timer {
    interface Watch {
        void start();

        void stop();

        boolean isLate();
    }

    interface Batch {
        void beginBatch();

        void endBatch();

        void add(Object what) throws java.io.IOException;
    }

    void timed(Watch watch, Runnable what) {
        watch.start();
        try {
            what.run();
        } finally {
            watch.stop();
        }
    }

    boolean timedBadly(Watch watch, Runnable what) {
        watch.start(); // expect: begin-without-end
        what.run();
        if (watch.isLate()) {
            return false;
        }
        watch.stop();
        return true;
    }

    void batch(Batch batch, List<Object> all) throws java.io.IOException {
        batch.beginBatch(); // expect: begin-without-end
        for (Object it : all) {
            if (it == null) {
                throw new IllegalArgumentException("null");
            }
            batch.add(it);
        }
        batch.endBatch();
    }

    void thread(Runnable what) throws InterruptedException {
        Thread thread = new Thread(what);
        thread.start();
        thread.join();
    }

    String joined(List<String> all) {
        StringBuilder text = new StringBuilder();
        Iterator<String> it = all.iterator();
        while (it.hasNext()) {
            text.append(it.next());
            if (it.hasNext()) {
                text.append(", ");
            }
        }
        return text.toString();
    }

    int pairs(List<Integer> all) {
        int sum = 0;
        Iterator<Integer> it = all.iterator();
        while (it.hasNext()) {
            int a = it.next();
            int b = it.next(); // expect: iterator-without-hasnext
            sum += a * b;
        }
        return sum;
    }

    String firstKey(Map<String, String> map) {
        if (map.isEmpty()) {
            return null;
        }
        return map.keySet().iterator().next();
    }

    <T> boolean contains(Iterable<T> all, T wanted) {
        for (T it : all) {
            if (it.equals(wanted)) {
                return true;
            }
        }
        return false;
    }
}
