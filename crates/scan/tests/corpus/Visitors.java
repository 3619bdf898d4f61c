class Visitors {
    interface Visitor<R> { R number(int n); R plus(Node a, Node b); }
    interface Node { <R> R accept(Visitor<R> v); }
    static final class Num implements Node {
        final int n;
        Num(int n) { this.n = n; }
        public <R> R accept(Visitor<R> v) { return v.number(n); }
    }
    static final class Plus implements Node {
        final Node a, b;
        Plus(Node a, Node b) { this.a = a; this.b = b; }
        public <R> R accept(Visitor<R> v) { return v.plus(a, b); }
    }
    static final class Eval implements Visitor<Integer> {
        public Integer number(int n) { return n; }
        public Integer plus(Node a, Node b) { return a.accept(this) + b.accept(this); }
    }
    static final class Simplify implements Visitor<Node> {
        public Node number(int n) { return n == 0 ? null : new Num(n); }
        public Node plus(Node a, Node b) {
            Node x = a.accept(this), y = b.accept(this);
            if (x == null) return y;
            if (y == null) return x;
            return new Plus(x, y);
        }
    }
    static Node simple(Node n) { return n instanceof Num && ((Num) n).n == 0 ? null : n; }
    static int eval(Node n) { return n.accept(new Eval()); }
    static int evalSimple(Node n) { return simple(n).accept(new Eval()); } // missed: null-dereference
    static int evalSafe(Node n) { Node s = simple(n); return s == null ? 0 : eval(s); }
    static int evalNone() { return eval(simple(new Num(0))); }
    static Node of(Object o) {
        if (o instanceof Integer i) return new Num(i);
        if (o instanceof Node n) return n;
        throw new IllegalArgumentException(String.valueOf(o));
    }
}
