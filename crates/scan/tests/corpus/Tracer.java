import java.util.ArrayDeque;
import java.util.Deque;

/** Spans that are begun and ended by name. */
public class Tracer {
    interface Sink {
        void beginSpan();

        void endSpan();

        void startTimer();

        void stopTimer();

        boolean enabled();

        void mark(String s);
    }

    private final Sink sink;
    private final Deque<String> open = new ArrayDeque<>();

    public Tracer(Sink sink) {
        this.sink = sink;
    }

    public void traced(Runnable r) {
        sink.beginSpan();
        try {
            r.run();
        } finally {
            sink.endSpan();
        }
    }

    public boolean tracedForgets(String name) {
        sink.beginSpan(); // expect: begin-without-end
        if (name.isEmpty()) {
            return false;
        }
        sink.mark(name);
        sink.endSpan();
        return true;
    }

    public void timed(Runnable r) {
        sink.startTimer();
        try {
            r.run();
        } finally {
            sink.stopTimer();
        }
    }

    public int timedThrows(int n) {
        sink.startTimer(); // expect: begin-without-end
        if (n < 0) {
            throw new IllegalArgumentException("negative");
        }
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
        }
        sink.stopTimer();
        return sum;
    }

    public void onlyIfOn(String name) {
        boolean on = sink.enabled();
        if (on) {
            sink.beginSpan();
        }
        open.push(name);
        if (on) {
            sink.endSpan();
        }
    }

    public void enter(String name) {
        sink.beginSpan();
        open.push(name);
    }

    public void leave() {
        open.pop();
        sink.endSpan();
    }

    public void each(String[] names) {
        for (String n : names) {
            sink.beginSpan(); // expect: begin-without-end
            if (n == null) {
                continue;
            }
            sink.mark(n);
            sink.endSpan();
        }
    }

    public void eachRight(String[] names) {
        for (String n : names) {
            if (n == null) {
                continue;
            }
            sink.beginSpan();
            sink.mark("name");
            sink.endSpan();
        }
    }
}
