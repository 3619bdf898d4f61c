import java.util.*;
import java.util.stream.*;
class RowStats {
    record Row(String name, Integer n, List<String> tags) {}
    static Map<String, Long> counts(List<Row> rows) {
        return rows.stream().filter(r -> r.n() != null).collect(Collectors.groupingBy(Row::name, Collectors.counting()));
    }
    static int total(List<Row> rows) { return rows.stream().mapToInt(r -> r.n() == null ? 0 : r.n()).sum(); }
    static Optional<Row> best(List<Row> rows) { return rows.stream().max(Comparator.comparing(Row::name)); }
    static String bestName(List<Row> rows) { return best(rows).map(Row::name).orElse("none"); }
    static String bestOrNull(List<Row> rows) { return best(rows).map(Row::name).orElse(null); }
    static int bestLength(List<Row> rows) { return bestOrNull(rows).length(); } // expect: unchecked-null-result
    static void drop(List<Row> rows) {
        rows.stream().filter(r -> r.n() > 3); // expect: ignored-result
    }
    static List<String> tags(Row r) {
        List<String> tags = r.tags();
        if (tags == null) tags = Collections.emptyList();
        return tags.stream().map(String::trim).toList();
    }
    static void removeEmpty(List<String> all) {
        for (Iterator<String> i = all.iterator(); i.hasNext();) {
            String s = i.next();
            if (s.isEmpty()) i.remove();
        }
    }
    static String firstTag(Row r) {
        Iterator<String> i = r.tags().iterator();
        String a = i.next(); // allow: iterator-without-hasnext
        if (i.hasNext()) a += i.next();
        return a;
    }
    static String two(Collection<String> c) {
        Iterator<String> i = c.iterator();
        if (i.hasNext()) {
            String a = i.next();
            return a + i.next(); // expect: iterator-without-hasnext
        }
        return "";
    }
    static int sum(int[] a) {
        int s = 0;
        for (int i = 0; i < a.length; i++) { s += a[i]; }
        return s;
    }
}
