import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Nodes and edges. */
public class Graph5 {
    static class Node {
        final int id;
        final List<Node> next = new ArrayList<>();
        Node parent;

        Node(int id) {
            this.id = id;
        }
    }

    private final Map<Integer, Node> nodes = new HashMap<>();

    Node node(int id) {
        return nodes.computeIfAbsent(id, Node::new);
    }

    void edge(int a, int b) {
        Node x = node(a);
        Node y = node(b);
        x.next.add(y);
        y.parent = x;
    }

    boolean reaches(int a, int b) {
        Set<Node> seen = new HashSet<>();
        Deque<Node> work = new ArrayDeque<>();
        work.push(node(a));
        while (!work.isEmpty()) {
            Node n = work.pop();
            if (n.id == b) {
                return true;
            }
            for (Node m : n.next) {
                if (seen.add(m)) {
                    work.push(m);
                }
            }
        }
        return false;
    }

    int depth(Node n) {
        int d = 0;
        for (Node p = n.parent; p != null; p = p.parent) {
            d++;
        }
        return d;
    }

    Node root(Node n) {
        while (n.parent != null) {
            n = n.parent;
        }
        return n;
    }

    int rootIdWrong(Node n) {
        while (n != null) {
            n = n.parent;
        }
        return n.id; // expect: null-dereference
    }

    int visit(Node n) {
        int sum = n.id;
        sum += visit(n.parent); // expect: endless-recursion
        return sum;
    }

    int visitRight(Node n) {
        if (n == null) {
            return 0;
        }
        return n.id + visitRight(n.parent);
    }

    int ping(int n) {
        return pong(n - 1) + 1; // expect: endless-recursion
    }

    int pong(int n) {
        return ping(n + 1) - 1; // allow: endless-recursion
    }

    boolean isEven(int n) {
        return n == 0 || isOdd(n - 1);
    }

    boolean isOdd(int n) {
        return n != 0 && isEven(n - 1);
    }

    Node findById(int id) {
        Node found = null;
        for (Node n : nodes.values()) {
            if (n.id == id) {
                found = n;
            }
        }
        return found;
    }

    int degree(int id) {
        Node n = findById(id);
        return n.next.size(); // expect: null-dereference
    }

    int degreeRight(int id) {
        Node n = findById(id);
        if (n == null) {
            throw new IllegalArgumentException("no node " + id);
        }
        return n.next.size();
    }

    void countDown(int n) {
        int i = n;
        for (;;) {
            if (i-- <= 0) {
                break;
            }
            System.out.println(i);
        }
    }

    void countForEver() {
        int i = 0;
        for (;;) { // expect: endless-loop
            System.out.println(i);
            i += 2;
        }
    }
}
