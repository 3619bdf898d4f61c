import java.io.File;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/** What is asked twice with nothing in between, and what was looked at before. */
class Looks {
    static int rest(List<String> in) {
        String found = null;
        Iterator<String> names = in.iterator();
        while (found == null && names.hasNext()) {
            String name = names.next();
            if (!name.isEmpty()) {
                found = name;
            }
        }
        if (!names.hasNext()) {
            return 0;
        }
        int rest = 0;
        while (names.hasNext()) {
            rest += names.next().length() + found.length();
        }
        return rest;
    }

    static int moved(Iterator<String> names) {
        String found = null;
        if (names.hasNext()) {
            found = names.next();
        }
        if (names.hasNext()) {
            return 0;
        }
        return found.length(); // expect: null-dereference
    }

    static int files(File folder) {
        int count = 0;
        for (File file : folder.listFiles()) { // expect: unchecked-null-result
            count += file.getName().length();
        }
        return count + folder.listFiles().length;
    }

    static int[] sorted(int[] given) {
        int[] own = given == null ? null : given.clone();
        Arrays.sort(own);
        return own;
    }

    static int least(int[] given) {
        return sorted(given)[0];
    }

    private final StringBuilder text;
    private StringBuilder other;

    Looks() {
        text = new StringBuilder();
        other = new StringBuilder("a");
    }

    Looks(int size) {
        text = new StringBuilder(size);
        if (size > 0) {
            other = new StringBuilder(size);
        }
    }

    int always() {
        if (text != null) {
            text.append("a");
        }
        return text.length();
    }

    int sometimes() {
        if (other != null) {
            other.append("a");
        }
        return other.length(); // expect: null-dereference
    }

    /** Rows by their number; there may be gaps. */
    static class Sheet {
        private final java.util.Map<Integer, int[]> rows = new java.util.HashMap<>();
        private int count;

        void put(int at, int[] row) {
            rows.put(at, row);
            count = Math.max(count, at + 1);
        }

        int[] getRow(int at) {
            for (Integer known : rows.keySet()) {
                if (known == at) {
                    return rows.get(known);
                }
            }
            return null;
        }

        int sum() {
            int sum = 0;
            for (int at = 0; at < count; at++) {
                if (getRow(at) != null) {
                    sum += getRow(at).length;
                }
            }
            return sum;
        }

        int next() {
            int sum = 0;
            for (int at = 0; at < count; at++) {
                if (getRow(at) != null) {
                    at++;
                    sum += getRow(at).length; // expect: null-dereference
                }
            }
            return sum;
        }
    }
}
