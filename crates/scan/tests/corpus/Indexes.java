import java.util.*;
/** Iterators over maps, and what searches find. */
class Indexes {
    private final Map<String, List<String>> index = new TreeMap<>();
    void drop(Map<String, Integer> m) {
        Iterator<Map.Entry<String, Integer>> it = m.entrySet().iterator();
        while (it.hasNext()) { Map.Entry<String, Integer> e = it.next(); if (e.getValue() == 0) it.remove(); }
    }
    int pairs(List<Integer> l) {
        int sum = 0;
        Iterator<Integer> it = l.iterator();
        while (it.hasNext()) {
            int a = it.next();
            int b = it.next(); // expect: iterator-without-hasnext
            sum += a * b;
        }
        return sum;
    }
    int pairsOk(List<Integer> l) {
        int sum = 0;
        Iterator<Integer> it = l.iterator();
        while (it.hasNext()) { int a = it.next(); int b = it.hasNext() ? it.next() : 1; sum += a * b; }
        return sum;
    }
    String joined(Collection<String> c) {
        StringBuilder sb = new StringBuilder();
        for (Iterator<String> it = c.iterator(); it.hasNext(); ) {
            sb.append(it.next());
            if (it.hasNext()) sb.append(',');
        }
        return sb.toString();
    }
    void add(String k, String v) {
        List<String> l = index.get(k);
        if (l == null) { l = new ArrayList<>(); index.put(k, l); }
        l.add(v);
    }
    int count(String k) {
        List<String> l = null;
        for (Map.Entry<String, List<String>> e : index.entrySet())
            if (e.getKey().equals(k)) l = e.getValue();
        return l.size(); // expect: null-dereference
    }
    int countOk(String k) {
        List<String> l = null;
        for (Map.Entry<String, List<String>> e : index.entrySet())
            if (e.getKey().equals(k)) l = e.getValue();
        return l != null ? l.size() : 0;
    }
    String firstKey() {
        for (String k : index.keySet()) return k;
        return null;
    }
    int lengthOfFirst() { return firstKey().length(); } // expect: null-dereference
    int lengthOfFirstOk() { String k = firstKey(); return k == null ? 0 : k.length(); }
    String max(Map<String, Integer> m) {
        String best = null; int most = Integer.MIN_VALUE; // allow: unused-definition
        for (Map.Entry<String, Integer> e : m.entrySet())
            if (best == null || e.getValue() > most) { best = e.getKey(); most = e.getValue(); }
        return best;
    }
}
