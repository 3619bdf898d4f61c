import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.NoSuchElementException;

/** Iterators, used rightly and wrongly. */
public class RowIterator implements Iterator<String> {
    private final Iterator<String> inner;
    private String ahead;

    public RowIterator(Iterator<String> inner) {
        this.inner = inner;
    }

    @Override
    public boolean hasNext() {
        while (ahead == null && inner.hasNext()) {
            String s = inner.next();
            if (!s.isEmpty()) {
                ahead = s;
            }
        }
        return ahead != null;
    }

    @Override
    public String next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        String s = ahead;
        ahead = null;
        return s;
    }

    static String joined(Collection<String> c) {
        StringBuilder b = new StringBuilder();
        Iterator<String> i = c.iterator();
        if (i.hasNext()) {
            b.append(i.next());
            while (i.hasNext()) {
                b.append(", ").append(i.next());
            }
        }
        return b.toString();
    }

    static String pairs(Collection<String> c) {
        StringBuilder b = new StringBuilder();
        Iterator<String> i = c.iterator();
        while (i.hasNext()) {
            String key = i.next();
            String value = i.next(); // expect: iterator-without-hasnext
            b.append(key).append('=').append(value);
        }
        return b.toString();
    }

    static String pairsRight(Collection<String> c) {
        StringBuilder b = new StringBuilder();
        for (Iterator<String> i = c.iterator(); i.hasNext();) {
            String key = i.next();
            if (!i.hasNext()) {
                throw new IllegalArgumentException("odd");
            }
            b.append(key).append('=').append(i.next());
        }
        return b.toString();
    }

    static String second(Collection<String> c) {
        Iterator<String> i = c.iterator();
        if (!i.hasNext()) {
            return null;
        }
        i.next();
        return i.next(); // expect: iterator-without-hasnext
    }

    static void dropEmpty(List<String> list) {
        ListIterator<String> i = list.listIterator();
        while (i.hasNext()) {
            String s = i.next();
            if (s == null || s.isEmpty()) {
                i.remove();
            }
        }
    }

    static int lengthOfFirst(List<String> list) {
        String first = null;
        for (String s : list) {
            first = s;
            break;
        }
        return first.length(); // expect: null-dereference
    }

    static int lengthOfFirstRight(List<String> list) {
        String first = null;
        for (String s : list) {
            first = s;
            break;
        }
        return first == null ? 0 : first.length();
    }
}
