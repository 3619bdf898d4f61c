import java.util.HashMap;
import java.util.Map;

/** Methods of interfaces whose only class here has nothing to offer: others may have. */
class Offers {
    interface Filter {
        String configuration();

        String name();
    }

    static final class OldFilter implements Filter {
        public String configuration() {
            return null;
        }

        public String name() {
            return "old";
        }
    }

    static int length(Filter filter) {
        return filter.configuration().length();
    }

    static final class Bare {
        String title() {
            return null;
        }
    }

    static int own(Bare bare) {
        return bare.title().length(); // expect: null-dereference
    }

    /** The same question to the answer of the same question. */
    static class Page {
        protected Map<String, Object> entries;

        Page() {
            entries = new HashMap<>();
        }

        Table table() {
            return new Table(entries);
        }

        Table getTable() {
            return new Table(entries);
        }

        String opened() {
            if (getTable().getEntry("open") instanceof String) {
                String open = (String) getTable().getEntry("open");
                return open.trim();
            }
            return "";
        }

        String closed() {
            if (getTable().getEntry("closed") instanceof String) {
                String open = (String) getTable().getEntry("open");
                return open.trim(); // expect: null-dereference
            }
            return "";
        }
    }

    static class Table {
        private final Map<String, Object> entries;

        Table(Map<String, Object> entries) {
            this.entries = entries;
        }

        Object getEntry(String key) {
            Object found = entries.get(key);
            if (found instanceof Integer) {
                return null;
            }
            return found;
        }
    }

    /** What other threads write may be another the next time. */
    private volatile int[] cells;

    int grow() {
        int[] seen = cells;
        if (seen == null) {
            return 0;
        }
        if (cells != seen) {
            return -1;
        }
        return seen.length;
    }

    private int[] plain;

    int shrink() {
        int[] seen = plain;
        if (seen == null) {
            return 0;
        }
        if (plain != seen) { // expect: decided-branch
            return -1;
        }
        return seen.length;
    }

    void fill(int n) {
        cells = new int[n];
        plain = new int[n];
    }
}
