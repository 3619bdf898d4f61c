import java.util.*;
/** Iterators in loops. */
class WordIndex {
    private final Map<String, Integer> words = new TreeMap<>();
    int total() {
        int n = 0;
        for (Iterator<Integer> it = words.values().iterator(); it.hasNext();) n += it.next();
        return n;
    }
    void prune(int least) {
        Iterator<Map.Entry<String, Integer>> it = words.entrySet().iterator();
        while (it.hasNext()) {
            if (it.next().getValue() < least) it.remove();
        }
    }
    static String pairs(List<String> all) {
        StringBuilder b = new StringBuilder();
        Iterator<String> it = all.iterator();
        while (it.hasNext()) {
            b.append(it.next()).append('=');
            b.append(it.next()).append(';'); // expect: iterator-without-hasnext
        }
        return b.toString();
    }
    static String pairsSafe(List<String> all) {
        StringBuilder b = new StringBuilder();
        Iterator<String> it = all.iterator();
        while (it.hasNext()) {
            b.append(it.next()).append('=');
            if (it.hasNext()) b.append(it.next());
            b.append(';');
        }
        return b.toString();
    }
    static int endless(List<String> all) {
        Iterator<String> it = all.iterator();
        int n = 0;
        while (it.hasNext()) { // missed: endless-loop
            n++;
        }
        return n;
    }
    static String longest(List<String> all) {
        String best = null;
        for (String s : all) {
            if (best == null || s.length() > best.length()) best = s;
        }
        return best.trim(); // expect: null-dereference
    }
    static String longestOr(List<String> all, String other) {
        String best = null;
        for (String s : all) {
            if (best == null || s.length() > best.length()) best = s;
        }
        return best == null ? other : best.trim();
    }
}
