import java.util.concurrent.locks.*;

/** What one constructor sets is not set by the other; locks with methods of their own. */
class Modes {
    private final boolean plain;
    private boolean wide;
    private boolean strict = true;
    Modes() { plain = true; wide = true; }
    Modes(int width) { plain = true; if (width > 80) wide = true; }
    int width() { return wide ? 120 : 80; }
    int plainWidth() { return plain ? 80 : 120; } // expect: decided-branch
    int strictWidth() { return strict ? 80 : 120; } // expect: decided-branch

    /** More of them than are entered at a call. */
    static class Own extends ReentrantLock { void ask() { } }
    static class Own1 extends Own { void ask() { unlocked(1); } }
    static class Own2 extends Own { void ask() { unlocked(2); } }
    static class Own3 extends Own { void ask() { unlocked(3); } }
    static class Own4 extends Own { void ask() { unlocked(4); } }
    static class Own5 extends Own { void ask() { unlocked(5); } }
    static class Own6 extends Own { void ask() { unlocked(6); } }
    static class Own7 extends Own { void ask() { unlocked(7); } }
    private static int asked;
    static void unlocked(int n) { asked += n; }

    private final Own lock;
    { lock = asked == 1 ? new Own1() : asked == 2 ? new Own2() : asked == 3 ? new Own3() : asked == 4 ? new Own4()
        : asked == 5 ? new Own5() : asked == 6 ? new Own6() : asked == 7 ? new Own7() : new Own(); }

    void held() {
        lock.lock();
        try {
            lock.ask();
        } finally {
            lock.unlock();
        }
    }

    void freed() {
        lock.lock();
        try {
            unlocked(0);
        } finally {
            lock.unlock();
            lock.unlock(); // expect: unlock-without-lock
        }
    }
}
