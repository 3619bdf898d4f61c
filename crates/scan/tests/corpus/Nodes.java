import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;

/** A graph with a cache, iterators and recursion. */
class Nodes {
    static final class Node {
        final String name;
        final List<Node> next = new ArrayList<>();
        Node parent;
        int depth;

        Node(String name) {
            this.name = Objects.requireNonNull(name, "name");
        }

        int height() {
            int most = 0;
            for (Node it : next) {
                most = Math.max(most, it.height());
            }
            return most + 1;
        }

        Node root() {
            return parent == null ? this : parent.root();
        }

        int level() {
            return 1 + parent.level(); // expect: endless-recursion
        }

        boolean isBelow(Node other) {
            for (Node at = this; at != null; at = at.parent) {
                if (at == other) {
                    return true;
                }
            }
            return false;
        }
    }

    private final Map<String, Node> all = new HashMap<>();

    Node find(String name) {
        Node node = all.get(name);
        if (node == null) {
            node = new Node(name);
            all.put(name, node);
        }
        return node;
    }

    String parentOf(String name) {
        Node node = find(name);
        Node parent = null;
        for (Node it : all.values()) {
            if (it.next.contains(node)) {
                parent = it;
                break;
            }
        }
        return parent.name; // expect: null-dereference
    }

    String parentOrNone(String name) {
        Node parent = null;
        for (Node it : all.values()) {
            if (it.name.equals(name)) {
                parent = it;
            }
        }
        return parent != null ? parent.name : "none";
    }

    Node firstOf(Node node) {
        Iterator<Node> it = node.next.iterator();
        return it.hasNext() ? it.next() : null;
    }

    Node secondOf(Node node) {
        Iterator<Node> it = node.next.iterator();
        if (it.hasNext()) {
            it.next();
            return it.next(); // expect: iterator-without-hasnext
        }
        return null;
    }

    Node onlyOf(Node node) {
        Iterator<Node> it = node.next.iterator();
        if (!it.hasNext()) {
            throw new NoSuchElementException(node.name);
        }
        Node only = it.next();
        if (it.hasNext()) {
            throw new IllegalStateException(node.name);
        }
        return only;
    }

    void removeNamed(Node node, String name) {
        for (Iterator<Node> it = node.next.iterator(); it.hasNext();) {
            if (it.next().name.equals(name)) {
                it.remove();
            }
        }
    }

    String describe(Node node) {
        String text = node.name + node.depth;
        if (node == null) { // expect: null-check-after-use
            return "";
        }
        return text;
    }

    List<Node> path(Node from) {
        if (from == null) {
            return Collections.emptyList();
        }
        List<Node> path = new ArrayList<>();
        Node at = from;
        do {
            path.add(at);
            at = at.parent;
        } while (at != null);
        return path;
    }

    void walk(Node node) {
        Node at = node;
        while (at != null) { // expect: endless-loop
            System.out.println(at.name);
        }
    }

    int fixed(Node node) {
        int step = 1;
        int sum = 0;
        while (step > 0) { // expect: endless-loop
            sum += node.depth;
            node.depth = sum;
        }
        return sum;
    }
}
