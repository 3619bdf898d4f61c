class Rings {
    Rings next;
    Ring ring;
    static void main(String[] args) {
        Rings all = null;
        for (int i = 0; i < args.length; i++) {
            Rings first = new Rings();
            first.ring = new Ring();
            first.ring.next = first.ring;
            for (int j = 0; j < args.length; j++) {
                Ring more = new Ring();
                more.next = first.ring.next;
                first.ring.next = more;
            }
            first.next = all;
            all = first;
        }
        while (all != null) {
            Ring at = all.ring.next;
            while (at != all.ring) at = at.next;
            all = all.next;
        }
    }
}
