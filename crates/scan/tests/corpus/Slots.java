import java.util.List;

/** Answers for an index, and what is tested behind a use. */
class Slots {
    private final String[] cells = new String[16];
    private final int[] places = new int[16];

    String at(int i) {
        String cell = cells[i];
        if (cell == null) {
            return null;
        }
        return cell.trim();
    }

    String mapped(int i) {
        int place = places[i];
        return place > 0 ? cells[place - 1] : null;
    }

    static String given(String[] values, int i) {
        if (i >= values.length) {
            return null;
        }
        String value = values[i];
        if (value == null) {
            return null;
        }
        return value.trim();
    }

    private final Object[][] rows = new Object[4][4];

    Object[] deep(Object[] row, int i) {
        while (row[i] instanceof Object[]) {
            row = (Object[]) row[i];
        }
        return row[i] == null ? null : row;
    }

    Object cell(int i, int j) {
        Object[] found = rows[i];
        found = (Object[]) found[j];
        if (found == null) {
            return null;
        }
        return found[j];
    }

    static String named(String[] values, String name) {
        for (String value : values) {
            if (value.startsWith(name)) {
                return value;
            }
        }
        return null;
    }

    static int size(Slots s) {
        return s.at(3).length() + s.mapped(2).length();
    }

    static int sum(String[] values) {
        return given(values, 0).length() + given(values, 1).length();
    }

    static int ofName(String[] values) {
        return named(values, "a").length(); // expect: null-dereference
    }

    static boolean isSmall(Object o) {
        if (o == null) {
            System.err.println("nothing");
        }
        if (!Integer.class.isInstance(o)) {
            return false;
        }
        return o.hashCode() < 9;
    }

    static int kind(String s) {
        if (s == null) {
            System.err.println("nothing");
        }
        if ("a".equals(s)) {
            return s.length();
        }
        return s.length() + 1; // expect: null-dereference
    }

    static String parsed(String s) {
        RuntimeException failed;
        try {
            return s.substring(1) + Integer.parseInt(s);
        } catch (RuntimeException e) {
            failed = e;
        }
        return s == null ? "nothing" : s + failed;
    }

    static int closed(List<String> all) {
        try {
            all.add("a");
        } finally {
            if (all != null) {
                all.clear();
            }
        }
        return 0;
    }

    static int late(String s) {
        int n = s.length();
        try {
            n += Integer.parseInt(s);
        } catch (NumberFormatException e) {
            n = 0;
        }
        if (s != null) { // expect: null-check-after-use
            n++;
        }
        return n;
    }
}
