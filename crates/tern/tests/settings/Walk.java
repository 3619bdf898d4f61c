class Walk {
    Walk next;

    static Walk last(Walk head) {
        if (head.next == null) {
            return head;
        }
        return last(head.next);
    }

    static void cut(Walk head) {
        head.next = null;
    }
}
