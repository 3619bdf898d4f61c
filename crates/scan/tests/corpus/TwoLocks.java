/** Two locks, and their order. */
class TwoLocks {
    private final Object a = new Object(), b = new Object(), c = new Object();
    private int n;
    void ab() { synchronized (a) { synchronized (b) { n++; } } } // expect: lock-order
    void ba() { synchronized (b) { synchronized (a) { n++; } } } // allow: lock-order
    void ac() { synchronized (a) { synchronized (c) { n++; } } }
    void ac2() { synchronized (a) { inC(); } }
    private void inC() { synchronized (c) { n--; } }
    void self() { synchronized (a) { synchronized (a) { n++; } } }
    void bc() { synchronized (b) { n++; } synchronized (c) { n--; } }
}
