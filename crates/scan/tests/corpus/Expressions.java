import java.util.*;
/** Recursion through interfaces. */
class Expressions {
    interface Node { int value(Map<String, Integer> names); Node simpler(); }
    static final class Number implements Node {
        final int n;
        Number(int n) { this.n = n; }
        public int value(Map<String, Integer> names) { return n; }
        public Node simpler() { return this; }
    }
    static final class Name implements Node {
        final String name;
        Name(String name) { this.name = name; }
        public int value(Map<String, Integer> names) {
            Integer n = names.get(name);
            return n == null ? 0 : n;
        }
        public Node simpler() { return this; }
    }
    static final class Sum implements Node {
        final Node a, b;
        Sum(Node a, Node b) { this.a = a; this.b = b; }
        public int value(Map<String, Integer> names) { return a.value(names) + b.value(names); }
        public Node simpler() {
            Node x = a.simpler(), y = b.simpler();
            return x instanceof Number && ((Number) x).n == 0 ? y : new Sum(x, y);
        }
    }
    static final class Loop implements Node {
        final Node of;
        Loop(Node of) { this.of = of; }
        public int value(Map<String, Integer> names) { return of.value(names); }
        public Node simpler() { return again(); } // expect: endless-recursion
        private Node again() { return simpler(); }
    }
    static int depth(Node n) { return n instanceof Sum ? 1 + Math.max(depth(((Sum) n).a), depth(((Sum) n).b)) : 0; }
    static int ladder(int n) { return n == 0 ? 0 : 1 + ladder(n - 1); }
    static int well(int n) { return 1 + well(n + 1); } // expect: endless-recursion
    static Node parse(String text) {
        if (text.isEmpty()) return null;
        return Character.isDigit(text.charAt(0)) ? new Number(Integer.parseInt(text)) : new Name(text);
    }
    static int eval(String text) {
        Node n = null;
        if (text.length() > 1) n = parse(text.substring(1));
        return n.value(Map.of()); // expect: null-dereference
    }
    static int evalSafe(String text) {
        Node n = parse(text);
        return n == null ? 0 : n.simpler().value(Map.of());
    }
}
