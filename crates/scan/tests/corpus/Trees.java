import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Consumer;

/** A search tree with an iterator of its own: nothing is wrong here. */
class Trees<K extends Comparable<K>> implements Iterable<K> {
    private static final class Node<K> {
        final K key;
        Node<K> left;
        Node<K> right;

        Node(K key) {
            this.key = key;
        }
    }

    private Node<K> root;
    private int size;
    private Comparator<? super K> order;

    boolean add(K key) {
        if (key == null) {
            throw new NullPointerException("key");
        }
        if (root == null) {
            root = new Node<>(key);
            size = 1;
            return true;
        }
        Node<K> at = root;
        while (true) {
            int c = compare(key, at.key);
            if (c == 0) {
                return false;
            }
            Node<K> next = c < 0 ? at.left : at.right;
            if (next == null) {
                Node<K> made = new Node<>(key);
                if (c < 0) {
                    at.left = made;
                } else {
                    at.right = made;
                }
                size++;
                return true;
            }
            at = next;
        }
    }

    private int compare(K a, K b) {
        return order != null ? order.compare(a, b) : a.compareTo(b);
    }

    K least() {
        if (root == null) {
            throw new NoSuchElementException();
        }
        Node<K> at = root;
        while (at.left != null) {
            at = at.left;
        }
        return at.key;
    }

    int height() {
        return height(root);
    }

    private static int height(Node<?> node) {
        if (node == null) {
            return 0;
        }
        return 1 + Math.max(height(node.left), height(node.right));
    }

    void remove(K key) {
        Node<K> parent = null;
        Node<K> at = root;
        while (at != null) {
            int c = compare(key, at.key);
            if (c == 0) {
                break;
            }
            parent = at;
            at = c < 0 ? at.left : at.right;
        }
        if (at == null) {
            return;
        }
        Node<K> next = at.left == null ? at.right : at.left;
        if (parent == null) {
            root = next;
        } else if (parent.left == at) {
            parent.left = next;
        } else {
            parent.right = next;
        }
        size--;
    }

    @Override
    public Iterator<K> iterator() {
        if (root == null) {
            return Collections.emptyIterator();
        }
        Deque<Node<K>> stack = new ArrayDeque<>();
        for (Node<K> n = root; n != null; n = n.left) {
            stack.push(n);
        }
        return new Iterator<K>() {
            private Node<K> last;

            @Override
            public boolean hasNext() {
                return !stack.isEmpty();
            }

            @Override
            public K next() {
                if (stack.isEmpty()) {
                    throw new NoSuchElementException();
                }
                last = stack.pop();
                for (Node<K> n = last.right; n != null; n = n.left) {
                    stack.push(n);
                }
                return last.key;
            }
        };
    }

    void each(Consumer<? super K> action) {
        for (K key : this) {
            action.accept(key);
        }
    }

    int size() {
        return size;
    }

    @Override
    public boolean equals(Object o) {
        if (this == o) {
            return true;
        }
        if (o == null || getClass() != o.getClass()) {
            return false;
        }
        Trees<?> other = (Trees<?>) o;
        return size == other.size && (root == null ? other.root == null : root.key.equals(other.root.key));
    }

    @Override
    public int hashCode() {
        return root == null ? 0 : root.key.hashCode() * 31 + size;
    }
}
