import java.util.*;
public class Graph {
    private final Map<Integer, Set<Integer>> edges = new TreeMap<>();
    private Node root;
    static class Node { int value; Node left, right, parent; Node(int v) { value = v; } }
    void add(int a, int b) { edges.computeIfAbsent(a, k -> new HashSet<>()).add(b); }
    List<Integer> bfs(int from) {
        List<Integer> order = new ArrayList<>(); Deque<Integer> work = new ArrayDeque<>(); Set<Integer> seen = new HashSet<>();
        work.add(from); seen.add(from);
        while (!work.isEmpty()) {
            int at = work.poll(); order.add(at);
            for (int to : edges.getOrDefault(at, Collections.emptySet())) if (seen.add(to)) work.add(to);
        }
        return order;
    }
    void insert(int v) {
        Node n = new Node(v), at = root, last = null;
        while (at != null) { last = at; at = v < at.value ? at.left : at.right; }
        n.parent = last;
        if (last == null) root = n; else if (v < last.value) last.left = n; else last.right = n;
    }
    Node find(int v) { Node at = root; while (at != null && at.value != v) at = v < at.value ? at.left : at.right; return at; }
    int depth(int v) { Node n = find(v); int d = 0; while (n.parent != null) { n = n.parent; d++; } return d; } // allow: null-dereference
    int depthRight(int v) { Node n = find(v); if (n == null) return -1; int d = 0; while (n.parent != null) { n = n.parent; d++; } return d; }
    Node min(Node n) { while (n.left != null) n = n.left; return n; }
    Node successor(Node n) {
        if (n.right != null) return min(n.right);
        Node p = n.parent;
        while (p != null && n == p.right) { n = p; p = p.parent; }
        return p;
    }
    int next(Node n) { return successor(n).value; } // allow: null-dereference
    void rotate(Node x) {
        Node y = x.right;
        if (y == null) return;
        x.right = y.left;
        if (y.left != null) y.left.parent = x;
        y.parent = x.parent;
        if (x.parent == null) root = y; else if (x == x.parent.left) x.parent.left = y; else x.parent.right = y;
        y.left = x; x.parent = y;
    }
    static int max(int[] a) {
        if (a == null || a.length == 0) throw new IllegalArgumentException();
        int m = a[0];
        for (int i = 1; i < a.length; i++) if (a[i] > m) m = a[i];
        return m;
    }
    static int maxWrong(int[] a) {
        if (a == null && a.length == 0) throw new IllegalArgumentException(); // expect: null-dereference
        return a[0];
    }
    static String join(List<String> l) {
        StringBuilder b = null;
        for (String s : l) { if (b == null) b = new StringBuilder(); else b.append(','); b.append(s); }
        return b == null ? "" : b.toString();
    }
    static String joinWrong(List<String> l) {
        StringBuilder b = null;
        for (String s : l) { if (b == null) b = new StringBuilder(); b.append(s); }
        return b.toString(); // expect: null-dereference
    }
    static int tryFinally(List<String> l) {
        Iterator<String> it = null;
        try { it = l.iterator(); return it.next().length(); } // allow: iterator-without-hasnext
        finally { if (it != null) System.out.println("done"); }
    }
    static Object lazy;
    static Object lazy() { if (lazy == null) lazy = new Object(); return lazy; }
    static int hash() { return lazy().hashCode(); }
}
