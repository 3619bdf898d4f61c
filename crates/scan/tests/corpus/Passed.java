import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Questions that helpers pass on, chains of conditions, and casts of other languages. */
class Passed {
    private final List<String> names = new ArrayList<>();
    private int limit;

    private int count() {
        return names.size();
    }

    private int limit() {
        return limit;
    }

    String joined() {
        if (count() < 1) {
            return "";
        }
        Iterator<String> it = names.iterator();
        StringBuilder all = new StringBuilder(it.next());
        while (it.hasNext()) {
            all.append(it.next());
        }
        return all.toString();
    }

    String limited() {
        if (limit() < 1) {
            return "";
        }
        Iterator<String> it = names.iterator();
        StringBuilder all = new StringBuilder(it.next()); // expect: iterator-without-hasnext
        while (it.hasNext()) {
            all.append(it.next());
        }
        return all.toString();
    }

    boolean isSame(Passed other) {
        boolean same = true;
        same = same && limit == other.limit;
        same = same && names.equals(other.names);
        return same;
    }

    int odd() {
        boolean first = true;
        int sum = limit;
        if (first) { // expect: decided-branch
            sum++;
        }
        return sum;
    }

    static int cast(List<String> names) {
        int size = names.size();
        if (names == null) {
            throw new ClassCastException("null cannot be cast to non-null type List<T>");
        }
        return size;
    }

    static int late(List<String> names) {
        int size = names.size();
        if (names == null) { // expect: null-check-after-use
            throw new IllegalArgumentException("no names");
        }
        return size;
    }
}
