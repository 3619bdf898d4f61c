import java.util.*;
import java.util.function.*;
class Formats {
    private final Map<Class<?>, Function<Object, String>> formats = new LinkedHashMap<>();
    private Function<Object, String> other;
    Formats() {
        formats.put(Integer.class, o -> "int " + o);
        formats.put(String.class, o -> "text " + ((String) o).length());
    }
    void otherwise(Function<Object, String> f) { other = f; }
    String format(Object o) {
        Function<Object, String> f = formats.get(o.getClass());
        if (f == null) f = other;
        return f.apply(o);
    }
    String strict(Object o) {
        return formats.get(o.getClass()).apply(o); // missed: unchecked-null-result
    }
    String lenient(Object o) {
        Function<Object, String> f = o == null ? null : formats.get(o.getClass());
        return f == null ? String.valueOf(o) : f.apply(o);
    }
    Runnable later(String s) {
        String t = s == null ? "" : s;
        return () -> System.out.println(t.length());
    }
    int total(List<Supplier<Integer>> all) {
        int n = 0;
        for (Supplier<Integer> it : all) {
            Integer v = it.get();
            if (v != null) n += v;
        }
        return n;
    }
    String pick(List<String> all, Predicate<String> p) {
        String found = null;
        for (String s : all) if (p.test(s)) found = s;
        if (found == null) {
            return null;
        }
        return found.trim();
    }
    int picked(List<String> all) {
        return pick(all, s -> s.startsWith("a")).length(); // expect: null-dereference
    }
    String chain(Object o) {
        Object x = null;
        if (o instanceof String) x = o;
        if (o instanceof String) return x.toString();
        return "";
    }
    String unchain(Object o) {
        Object x = null;
        if (o instanceof String) x = o;
        return x.toString(); // expect: null-dereference
    }
}
