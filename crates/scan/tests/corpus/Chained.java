import java.util.*;
class Chained<T> implements Iterable<T> {
    private static final class Link<T> { T value; Link<T> next; Link(T v) { value = v; } }
    private Link<T> head, tail;
    private int size;
    void add(T v) {
        Link<T> it = new Link<>(v);
        if (tail == null) head = it; else tail.next = it;
        tail = it;
        size++;
    }
    T removeFirst() {
        if (head == null) throw new NoSuchElementException();
        T v = head.value;
        head = head.next;
        if (head == null) tail = null;
        size--;
        return v;
    }
    T at(int n) {
        Link<T> it = head;
        for (int i = 0; i < n; i++) it = it.next;
        return it.value;
    }
    int position(T v) {
        int i = 0;
        for (Link<T> it = head; it != null; it = it.next, i++)
            if (Objects.equals(it.value, v)) return i;
        return -1;
    }
    T last() {
        Link<T> it = null;
        for (Link<T> x = head; x != null; x = x.next) it = x;
        return it.value; // expect: null-dereference
    }
    void forever(T v) {
        Link<T> it = head;
        while (it != null) { // expect: endless-loop
            if (it.value == v) break;
        }
    }
    public Iterator<T> iterator() {
        return new Iterator<T>() {
            private Link<T> at = head;
            public boolean hasNext() { return at != null; }
            public T next() {
                if (at == null) throw new NoSuchElementException();
                T v = at.value;
                at = at.next;
                return v;
            }
        };
    }
    T first() {
        return iterator().next();
    }
    T firstOr(T other) {
        Iterator<T> it = iterator();
        return it.hasNext() ? it.next() : other;
    }
}
