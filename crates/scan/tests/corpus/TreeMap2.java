import java.util.function.BiConsumer;

/** A search tree. */
public class TreeMap2<K extends Comparable<K>, V> {
    static final class Node<K, V> {
        final K key;
        V value;
        Node<K, V> left;
        Node<K, V> right;

        Node(K key, V value) {
            this.key = key;
            this.value = value;
        }
    }

    private Node<K, V> root;
    private int size;

    public V get(K key) {
        Node<K, V> n = root;
        while (n != null) {
            int c = key.compareTo(n.key);
            if (c == 0) {
                return n.value;
            }
            n = c < 0 ? n.left : n.right;
        }
        return null;
    }

    public void put(K key, V value) {
        if (root == null) {
            root = new Node<>(key, value);
            size = 1;
            return;
        }
        Node<K, V> n = root;
        Node<K, V> parent = null;
        int c = 0;
        while (n != null) {
            parent = n;
            c = key.compareTo(n.key);
            if (c == 0) {
                n.value = value;
                return;
            }
            n = c < 0 ? n.left : n.right;
        }
        if (c < 0) {
            parent.left = new Node<>(key, value);
        } else {
            parent.right = new Node<>(key, value);
        }
        size++;
    }

    public K smallest() {
        Node<K, V> n = root;
        while (n != null) {
            n = n.left;
        }
        return n.key; // expect: null-dereference
    }

    public K largest() {
        Node<K, V> n = root;
        if (n == null) {
            return null;
        }
        while (n.right != null) {
            n = n.right;
        }
        return n.key;
    }

    public int height() {
        return height(root);
    }

    private static int height(Node<?, ?> n) {
        if (n == null) {
            return 0;
        }
        return 1 + Math.max(height(n.left), height(n.right));
    }

    private int heightForEver(Node<K, V> n) {
        int a = heightForEver(n.left); // expect: endless-recursion
        int b = heightForEver(n.right);
        return Math.max(a, b) + 1;
    }

    public void each(BiConsumer<K, V> action) {
        each(root, action);
    }

    private void each(Node<K, V> n, BiConsumer<K, V> action) {
        if (n != null) {
            each(n.left, action);
            action.accept(n.key, n.value);
            each(n.right, action);
        }
    }

    public boolean isLeaf(Node<K, V> n) {
        boolean leaf = n.left == null && n.right == null;
        if (n == null) { // expect: null-check-after-use
            return false;
        }
        return leaf;
    }

    public int depthOf(K key) {
        int depth = 0;
        Node<K, V> n = root;
        while (n != null && !n.key.equals(key)) {
            depth++;
            n = key.compareTo(n.key) < 0 ? n.left : n.right;
        }
        return n == null ? -1 : depth;
    }

    public int spin() {
        int i = size;
        while (root != null) { // allow: endless-loop
            i++;
        }
        return i;
    }
}
