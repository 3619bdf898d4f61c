import java.util.ArrayList;
import java.util.List;

/** Questions that only seem to say that a key is known. */
class Register {
    static class Entry {
        String name;
        int size;
    }

    private final List<Entry> entries = new ArrayList<>();

    Entry find(String name) {
        for (Entry entry : entries) {
            if (entry.name.equals(name)) {
                return entry;
            }
        }
        return null;
    }

    boolean isKnown(String name) {
        return find(name) != null;
    }

    boolean isMissing(String name) {
        return find(name) == null;
    }

    boolean isLarge(String name) {
        Entry entry = find(name);
        return entry != null && entry.size > 9;
    }

    int size(String name) {
        Entry entry = find(name);
        return entry == null ? 0 : entry.size;
    }

    void grow(String name) {
        Entry entry = find(name);
        if (entry != null) {
            entry.size++;
        }
    }

    void remove(String name) {
        entries.removeIf(entry -> entry.name.equals(name));
    }

    private String[] words(String line) {
        return line.split(" ");
    }

    int ofLine(String line) {
        int n = 0;
        for (String word : words(line)) {
            n += find(word).size; // expect: null-dereference
        }
        return n;
    }

    static int known(Register r, String name) {
        if (r.isKnown(name)) {
            return r.find(name).size;
        }
        return 0;
    }

    static int missing(Register r, String name) {
        if (r.isMissing(name)) {
            return r.find(name).size; // expect: null-dereference
        }
        return 0;
    }

    static int removed(Register r, String name) {
        if (r.isKnown(name)) {
            r.remove(name);
            return r.find(name).size; // expect: null-dereference
        }
        return 0;
    }
}
