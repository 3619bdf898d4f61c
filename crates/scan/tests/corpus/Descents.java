import java.util.*;
/** Recursion, with and without an end. */
class Descents {
    static final class Node { Node left, right; int v; }
    int depth(Node n) { return n == null ? 0 : 1 + Math.max(depth(n.left), depth(n.right)); }
    int depthBad(Node n) { return 1 + Math.max(depthBad(n.left), depthBad(n.right)); } // expect: endless-recursion
    int fact(int n) { if (n <= 1) return 1; return n * fact(n - 1); }
    int factBad(int n) {
        if (factBad(n - 1) > 3) return 1; // expect: endless-recursion
        return n;
    }
    boolean even(int n) { return n == 0 || odd(n - 1); }
    boolean odd(int n) { return n != 0 && even(n - 1); }
    void ping(int n) { pong(n + 1); } // expect: endless-recursion
    void pong(int n) { ping(n - 1); } // allow: endless-recursion
    int sum(Node n) { if (n == null) { return 0; } int s = n.v; s += sum(n.left); s += sum(n.right); return s; }
    Node find(Node n, int v) {
        if (n == null) return null;
        if (n.v == v) return n;
        return v < n.v ? find(n.left, v) : find(n.right, v);
    }
    int value(Node root, int v) { return find(root, v).v; } // expect: null-dereference
    int valueOk(Node root, int v) { Node f = find(root, v); return f == null ? -1 : f.v; }
    @Override public int hashCode() { return super.hashCode() * 31; }
    @Override public boolean equals(Object o) { return this.equals(o); } // expect: endless-recursion
    String show(Object o) { return o instanceof List ? showList((List<?>) o) : String.valueOf(o); }
    String showList(List<?> l) { StringBuilder b = new StringBuilder(); for (Object o : l) b.append(show(o)); return b.toString(); }
    int digits(int n) { if (n < 10) return 1; else return 1 + digits(n / 10); }
    private String name; String getName() { return getName(); } // expect: endless-recursion
}
