import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** What comes behind loops whose rounds are known. */
class Rounds {
    private final Lock lock = new ReentrantLock();
    private final boolean[] seats = new boolean[100];

    int overArray() {
        int n = 0;
        lock.lock();
        try {
            for (boolean b : seats) {
                if (!b) n++;
            }
        } finally {
            lock.unlock();
            lock.unlock(); // expect: unlock-without-lock
        }
        return n;
    }

    int counted() {
        int n = 0;
        lock.lock();
        for (int i = 0; i < 100; i++) n += 3;
        lock.unlock();
        lock.unlock(); // expect: unlock-without-lock
        return n;
    }

    int halved() {
        int n = 5000;
        String s = null;
        while (n > 0) n /= 2;
        return s.length(); // expect: null-dereference
    }

    int flagged(int k) {
        String s = null;
        boolean done = false;
        for (int i = 0; i < 50; i++) {
            if (i == k) {
                s = "last";
                done = true;
            }
        }
        return done ? s.length() : 0;
    }

    int both(String a, String b) {
        if (a == null && b == null) return 0;
        if (a == null) return a.length(); // expect: null-dereference
        return a.length();
    }

    int first(String a, String b) {
        if (a == null && b == null) return 0;
        return a.length();
    }
}

/** Constants that are compared as objects. */
class Names {
    static final String FIRST = "first";
    static final String SECOND = "second";

    private static Object of(String kind) {
        if (kind == FIRST) return new Object();
        else if (kind == SECOND) return "second";
        else return null;
    }

    static int both() {
        return of(FIRST).hashCode() + of(SECOND).hashCode();
    }

    static int other() {
        return of("third").hashCode(); // expect: null-dereference
    }

    static boolean isShort(java.util.List<String> all) {
        java.util.List<String> some = all.stream().map(String::trim).collect(java.util.stream.Collectors.toList());
        return some != null && some.size() < 3;
    }
}

/** What is written is read where something was thrown; characters are not asked for twice. */
class Released {
    static class Part {
        int at;

        Part fill(Part other) {
            at = other.at;
            return this;
        }

        void release() {
            at = -1;
        }
    }

    static class Input {
        private char[] buffer = new char[100];
        private int start;

        char getc() {
            return buffer[start++];
        }
    }

    private Input in = new Input();
    private boolean deep;

    private char getc() {
        if (!deep) {
            return in.getc();
        }
        return ' ';
    }

    int number() {
        if (getc() != 'x') {
            return 0;
        }
        char c = getc();
        if (c == ';') {
            return 1;
        }
        return 2;
    }

    static Part expanded(Part old, Part in) {
        Part made = new Part();
        Part done = made;
        try {
            made.fill(old).fill(in);
            done = old;
            return made;
        } finally {
            done.release();
        }
    }
}
