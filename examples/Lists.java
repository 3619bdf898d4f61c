/** Lists: a reversal, a broken one, and others, for `tern check Lists.java --method NAME`. */
class Lists {
    static class Node {
        Node next;
        int value;
    }

    static Node reverse(Node head) {
        Node done = null;
        while (head != null) {
            Node rest = head.next;
            head.next = done;
            done = head;
            head = rest;
        }
        return done;
    }

    static Node broken(Node head) {
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

    static Node last(Node list) {
        if (list.next == null) {
            return list;
        }
        return last(list.next);
    }

    static Node build(int length) {
        Node list = null;
        for (int i = 0; i < length; i++) {
            Node first = new Node();
            first.next = list;
            list = first;
        }
        return list;
    }

    static void print(Node list) {
        while (list != null) {
            System.out.println(list.value);
            list = list.next;
        }
    }
}
