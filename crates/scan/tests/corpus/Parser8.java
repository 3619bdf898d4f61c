import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Expressions with brackets. */
public class Parser8 {
    static final class Node {
        final String op;
        Node left, right;
        int value;

        Node(String op) {
            this.op = op;
        }
    }

    private final List<String> tokens = new ArrayList<>();
    private int at;

    Parser8(String text) {
        for (String s : text.split(" ")) {
            if (!s.isEmpty()) {
                tokens.add(s);
            }
        }
    }

    private String peek() {
        return at < tokens.size() ? tokens.get(at) : null;
    }

    private boolean accept(String s) {
        if (s.equals(peek())) {
            at++;
            return true;
        }
        return false;
    }

    Node expr() {
        Node n = term();
        while (true) {
            String op = peek();
            if (op == null || !op.equals("+") && !op.equals("-")) {
                return n;
            }
            at++;
            Node parent = new Node(op);
            parent.left = n;
            parent.right = term();
            n = parent;
        }
    }

    Node term() {
        if (accept("(")) {
            Node n = expr();
            if (!accept(")")) {
                throw new IllegalStateException("bracket");
            }
            return n;
        }
        String s = peek();
        if (s == null) {
            throw new IllegalStateException("end");
        }
        at++;
        Node n = new Node("num");
        n.value = Integer.parseInt(s);
        return n;
    }

    int eval(Node n) {
        switch (n.op) {
            case "+":
                return eval(n.left) + eval(n.right);
            case "-":
                return eval(n.left) - eval(n.right);
            default:
                return n.value;
        }
    }

    Node find(Node n, String op) {
        if (n == null) {
            return null;
        }
        if (n.op.equals(op)) {
            return n;
        }
        Node found = find(n.left, op);
        return found != null ? found : find(n.right, op);
    }

    int valueOf(Node n, String op) {
        Node f = find(n, op);
        return f.value; // expect: null-dereference
    }

    int valueOfRight(Node n, String op) {
        Node f = find(n, op);
        if (f == null) {
            return 0;
        }
        return f.value;
    }

    Optional<Node> first(Node n) {
        return Optional.ofNullable(find(n, "num"));
    }

    int firstValue(Node n) {
        return first(n).map(k -> k.value).orElse(0);
    }

    int firstLength(Node n) {
        Node f = first(n).orElse(null);
        int k = f.op.length(); // expect: unchecked-null-result
        return k;
    }

    String show(Node n) {
        if (n.left == null && n.right == null) {
            return String.valueOf(n.value);
        }
        return "(" + show(n.left) + n.op + show(n.right) + ")";
    }

    String showForEver(Node n) {
        String l = showForEver(n.left); // expect: endless-recursion
        return l + n.op;
    }

    int depth(Node n) {
        int l = n.left == null ? 0 : depth(n.left);
        int r = n.right == null ? 0 : depth(n.right);
        if (n == null) { // expect: null-check-after-use
            return 0;
        }
        return 1 + Math.max(l, r);
    }

    boolean check(int n) {
        if (n >= 0) {
            if (n < 0) { // expect: decided-branch
                return false;
            }
            return true;
        }
        return false;
    }
}
