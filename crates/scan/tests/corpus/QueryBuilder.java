import java.util.*;
/** Builders. */
class QueryBuilder {
    private String table;
    private String order;
    private final List<String> columns = new ArrayList<>();
    static QueryBuilder from(String table) {
        QueryBuilder b = new QueryBuilder();
        b.table = table;
        return b;
    }
    QueryBuilder column(String name) { columns.add(name); return this; }
    QueryBuilder order(String by) { order = by; return this; }
    String build() {
        StringBuilder text = new StringBuilder("select ");
        for (int i = 0; i < columns.size(); i++) {
            if (i > 0) text.append(", ");
            text.append(columns.get(i));
        }
        text.append(" from ").append(table);
        if (order != null) text.append(" order by ").append(order.trim());
        return text.toString();
    }
    private String suffix() { return order == null ? null : " order by " + order; }
    String withSuffix() {
        String s = suffix();
        return build() + (s == null ? "" : s.toLowerCase());
    }
    static String plain(String table, boolean sorted) {
        String by = null;
        if (sorted) by = "id";
        return from(table).column("*").order(by.trim()).build(); // expect: null-dereference
    }
    static String sorted(String table, boolean sorted) {
        String by = null;
        if (sorted) by = "id";
        QueryBuilder b = from(table).column("*");
        if (sorted) b.order(by.trim());
        return b.build();
    }
    static String named(String table) {
        String text = from(table).build(); // expect: unused-definition
        text = from(table).column("name").build();
        return text;
    }
    static void trimmed(String table) {
        table.trim(); // expect: ignored-result
        System.out.println(table);
    }
}
