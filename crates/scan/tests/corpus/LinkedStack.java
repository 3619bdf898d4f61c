import java.util.Iterator;
import java.util.NoSuchElementException;

/** A stack of linked nodes. */
public class LinkedStack<T> implements Iterable<T> {
    private static class Node<T> {
        T value;
        Node<T> below;
    }

    private Node<T> top;
    private int size;

    public void push(T value) {
        Node<T> n = new Node<>();
        n.value = value;
        n.below = top;
        top = n;
        size++;
    }

    public T pop() {
        if (top == null) {
            throw new NoSuchElementException();
        }
        T v = top.value;
        top = top.below;
        size--;
        return v;
    }

    public T peekOrNull() {
        return top == null ? null : top.value;
    }

    public T bottom() {
        Node<T> n = top;
        Node<T> last = null;
        while (n != null) {
            last = n;
            n = n.below;
        }
        return last.value; // expect: null-dereference
    }

    public T bottomRight() {
        if (top == null) {
            return null;
        }
        Node<T> n = top;
        while (n.below != null) {
            n = n.below;
        }
        return n.value;
    }

    public void reverse() {
        Node<T> done = null;
        while (top != null) {
            Node<T> next = top.below;
            top.below = done;
            done = top;
            top = next;
        }
        top = done;
    }

    private Node<T> nodeAt(int i) {
        Node<T> n = top;
        while (n != null && i > 0) {
            n = n.below;
            i--;
        }
        return n;
    }

    public T get(int i) {
        Node<T> n = nodeAt(i);
        if (n == null) {
            throw new IndexOutOfBoundsException(String.valueOf(i));
        }
        return n.value;
    }

    public int depth() {
        return depth(top);
    }

    private int depth(Node<T> n) {
        return n == null ? 0 : 1 + depth(n.below);
    }

    private int sum(Node<T> n) {
        int rest = sum(n.below); // expect: endless-recursion
        return rest + 1;
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private Node<T> at = top;

            @Override
            public boolean hasNext() {
                return at != null;
            }

            @Override
            public T next() {
                if (at == null) {
                    throw new NoSuchElementException();
                }
                T v = at.value;
                at = at.below;
                return v;
            }
        };
    }

    public T second() {
        Iterator<T> i = iterator();
        T found = null;
        if (i.hasNext()) {
            i.next();
            found = i.next(); // expect: iterator-without-hasnext
        }
        return found;
    }

    public boolean isConsistent() {
        int n = 0;
        for (Node<T> k = top; k != null; k = k.below) {
            n++;
        }
        if (n < 0) { // expect: decided-branch
            return false;
        }
        return n == size;
    }
}
