/** A list, and what is done with it: see docs/reverse.md. Compiled by `javac -g Node.java`. */
class Node {
    Node next;

    static Node reverse(Node head) {
        Node done = null;
        Node rest = head.next;
        while (rest != null) {
            head.next = done;
            done = head;
            head = rest;
            rest = head.next;
        }
        return done;
    }

    static Node mended(Node head) {
        Node done = null;
        while (head != null) {
            Node rest = head.next;
            head.next = done;
            done = head;
            head = rest;
        }
        return done;
    }
}
