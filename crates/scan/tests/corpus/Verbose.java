import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/** What is asked twice: how much is to be logged, and how something stands. */
class Verbose {
    private static final Logger LOG = Logger.getLogger("verbose");

    interface Audit {
        boolean isTraceEnabled();

        void note(String text);
    }

    interface Work {
        void step();
    }

    static class Request {
        private boolean isLate;
        private String text;

        boolean isLate() {
            return isLate;
        }

        void setLate(boolean late) {
            isLate = late;
        }
    }

    private final Audit audit;
    private final List<String> names = new ArrayList<>();

    Verbose(Audit audit) {
        this.audit = audit;
    }

    void all(Work work) {
        StringBuilder b = null;
        if (audit.isTraceEnabled()) {
            b = new StringBuilder("all:");
        }
        for (String name : names) {
            work.step();
            if (audit.isTraceEnabled()) {
                b.append(name);
            }
        }
        if (audit.isTraceEnabled()) {
            audit.note(b.toString());
        }
    }

    void timed(Work work) {
        String before = null;
        if (LOG.isLoggable(Level.FINE)) {
            before = names.toString();
        }
        work.step();
        if (LOG.isLoggable(Level.FINE)) {
            LOG.fine(before.trim());
        }
    }

    void timedOtherwise(Work work) {
        String before = null;
        if (LOG.isLoggable(Level.FINE)) {
            before = names.toString();
        }
        work.step();
        if (LOG.isLoggable(Level.INFO)) {
            LOG.info(before.trim()); // expect: null-dereference
        }
    }

    int answer(Request r, Work work) {
        String text = null;
        if (!r.isLate()) {
            text = r.text.trim();
        }
        work.step();
        if (r.isLate()) {
            return 0;
        }
        return text.length();
    }

    int answerOfAnother(Request r, Request other, Work work) {
        String text = null;
        if (!r.isLate()) {
            text = r.text.trim();
        }
        work.step();
        if (other.isLate()) {
            return 0;
        }
        return text.length(); // expect: null-dereference
    }

    int answerAfterAChange(Request r) {
        String text = null;
        if (!r.isLate()) {
            text = r.text.trim();
        }
        r.setLate(false);
        if (r.isLate()) {
            return 0;
        }
        return text.length(); // expect: null-dereference
    }

    int retries(Work work, Request r) {
        int n = 0;
        while (!r.isLate()) {
            work.step();
            if (++n < 0) {
                n = 0;
            }
        }
        return n;
    }
}
