import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The same question to what has not changed since. */
class Repeated {
    interface Tuples extends List<Integer> {
        int getArity();

        void setArity(int arity);
    }

    private double low;
    private double high;

    static int[] around(double value) {
        return new int[] {(int) value, (int) value + 1};
    }

    int range(int size) {
        int[] found = null;
        if (Double.isNaN(low) || Double.isNaN(high)) {
            found = around(size);
        }
        int all = 0;
        if (Double.isNaN(low)) {
            all += found[0];
        }
        if (Double.isNaN(high)) {
            all += found[1];
        }
        return all;
    }

    int moved(int size) {
        int[] found = null;
        if (Double.isNaN(low)) {
            found = around(size);
        }
        low = low / size;
        if (Double.isNaN(low)) {
            size += found[0]; // expect: null-dereference
        }
        return size;
    }

    static int count(Tuples tuples) {
        Map<Integer, Integer> single = null;
        Map<String, Integer> several = null;
        if (tuples.getArity() == 1) {
            single = new HashMap<>();
        } else {
            several = new TreeMap<>();
        }
        for (int row = 0; row < tuples.size(); row++) {
            if (tuples.getArity() == 1) {
                single.put(tuples.get(row), row);
            } else {
                several.put("row " + row, row);
            }
        }
        return tuples.getArity() != 1 ? several.size() : single.size();
    }

    static int changed(Tuples tuples) {
        Map<Integer, Integer> single = null;
        if (tuples.getArity() == 1) {
            single = new HashMap<>();
        }
        tuples.setArity(tuples.size() / 2);
        return tuples.getArity() == 1 ? single.size() : 0; // expect: null-dereference
    }

    static class Column {
        private int arity;

        int getArity() {
            return arity;
        }

        Column with(int arity) {
            this.arity = arity;
            return this;
        }
    }

    static int widened(Column column, int by) {
        Map<Integer, Integer> single = null;
        if (column.getArity() == 1) {
            single = new HashMap<>();
        }
        column.with(by);
        return column.getArity() == 1 ? single.size() : 0; // expect: null-dereference
    }

    interface Task {
        boolean isDone();

        void cancel();
    }

    static void waits(Task task) {
        while (!task.isDone()) {
            Thread.onSpinWait();
        }
        System.out.println("done");
    }

    static int cancels(Task task) {
        String left = null;
        if (task.isDone()) {
            left = "done";
        }
        task.cancel();
        return task.isDone() ? left.length() : 0; // expect: null-dereference
    }

    static class Buffers {
        private static final Buffers ALL = new Buffers();
        private final Map<Object, StringBuilder> buffers = new HashMap<>();

        static Buffers getInstance() {
            return ALL;
        }

        boolean isKnown(Object document) {
            return buffers.get(document) != null;
        }

        StringBuilder getBuffer(Object document) {
            for (Map.Entry<Object, StringBuilder> each : buffers.entrySet()) {
                if (each.getKey().equals(document)) {
                    return each.getValue();
                }
            }
            return null;
        }
    }

    static int save(Object document) {
        if (Buffers.getInstance().isKnown(document)) {
            return Buffers.getInstance().getBuffer(document).length();
        }
        return 0;
    }

    static int vendor() {
        return System.getProperties().getProperty("java.vendor").length();
    }

    static int user(java.util.Properties given) {
        return given.getProperty("java.vendor").length(); // expect: unchecked-null-result
    }
}
