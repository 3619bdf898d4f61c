import java.util.function.*;
class Letters {
    static final class Builder {
        private String name;
        private Integer age;
        private Supplier<String> title;
        Builder name(String n) { name = n; return this; }
        Builder age(int a) { age = a; return this; }
        Builder title(Supplier<String> t) { title = t; return this; }
        Letters build() {
            if (name == null) throw new IllegalStateException("name");
            return new Letters(name, age == null ? 0 : age, title == null ? null : title.get());
        }
        Letters buildFast() {
            int a = age;
            return new Letters(name, a, title.get());
        }
    }
    private final String name;
    private final int age;
    private final String title;
    private Letters(String name, int age, String title) { this.name = name; this.age = age; this.title = title; }
    static Builder builder() { return new Builder(); }
    String text() {
        StringBuilder b = new StringBuilder();
        if (title != null) b.append(title).append(' ');
        b.append(name);
        if (age > 0) b.append(" (").append(age).append(')');
        return b.toString();
    }
    int titleLength() {
        if (title == null) {
            System.err.println("no title of " + name);
        }
        return title.length(); // expect: null-dereference
    }
    String upper() {
        name.toUpperCase(); // expect: ignored-result
        return name;
    }
    static Letters sample() { return builder().name("a").age(3).title(() -> "Dr").build(); }
}
