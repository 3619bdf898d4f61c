import java.util.*;
class Stacked {
    private Object[] items = new Object[8];
    private int n;
    void push(Object o) {
        if (n == items.length) items = Arrays.copyOf(items, n * 2);
        items[n++] = o;
    }
    Object pop() {
        if (n == 0) return null;
        Object o = items[--n];
        items[n] = null;
        return o;
    }
    String popText() {
        return pop().toString(); // missed: null-dereference
    }
    String popTextOr(String d) {
        Object o = pop();
        return o == null ? d : o.toString();
    }
    String popIfAny() {
        if (n > 0) return pop().toString();
        return "";
    }
    int hash() {
        int h = 0;
        for (int i = 0; i < n; i++) h = 31 * h + (items[i] == null ? 0 : items[i].hashCode());
        return h;
    }
    void clear() {
        for (int i = n; i >= 0; i++) {
            if (i < items.length) items[i] = null; else break;
        }
        n = 0;
    }
    @Override public boolean equals(Object o) {
        if (this == o) return true;
        if (!(o instanceof Stacked)) return false;
        Stacked other = (Stacked) o;
        return n == other.n && Arrays.equals(items, other.items);
    }
    @Override public int hashCode() { return hash(); }
}
