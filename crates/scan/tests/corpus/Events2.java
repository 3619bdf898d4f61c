import java.util.*;
/** Optional values, records, patterns, enums. */
class Events2 {
    enum Kind { START, STEP, END }
    record Event(Kind kind, String text) { }
    private final Map<Kind, List<Event>> all = new EnumMap<>(Kind.class);
    static String mark(Kind k) {
        switch (k) {
            case START: return "(";
            case STEP: return ".";
            case END: return ")";
        }
        return null;
    }
    static int marks(Kind k) { return mark(k).length(); }
    void add(Event e) { all.computeIfAbsent(e.kind(), k -> new ArrayList<>()).add(e); }
    Optional<Event> first(Kind k) {
        List<Event> own = all.get(k);
        return own == null || own.isEmpty() ? Optional.empty() : Optional.of(own.get(0));
    }
    String firstText(Kind k) { return first(k).map(Event::text).orElse("-"); }
    int firstLength(Kind k) {
        Event e = first(k).orElse(null);
        return e.text().length(); // expect: unchecked-null-result
    }
    int firstLengthSafe(Kind k) {
        Event e = first(k).orElse(null);
        return e == null ? 0 : e.text().length();
    }
    static String show(Object o) {
        if (o instanceof Event e) return e.text();
        if (o instanceof String s && !s.isEmpty()) return s;
        return o == null ? "null" : o.toString();
    }
    static String showBadly(Object o) {
        if (o == null) System.err.println("nothing");
        return o.toString(); // expect: null-dereference
    }
    static Event parse(String line) {
        Kind kind = null;
        for (Kind k : Kind.values()) if (line.startsWith(k.name())) kind = k;
        return kind == null ? null : new Event(kind, line);
    }
    static String kindOf(String line) {
        Event e = parse(line);
        return e.kind().name(); // expect: null-dereference
    }
    static String kindOr(String line) {
        Event e = parse(line);
        return e != null ? e.kind().name() : "none";
    }
    static boolean isEnd(Event e) {
        boolean end = e.kind() == Kind.END;
        if (end && e.kind() == Kind.START) return false;
        return end;
    }
}
