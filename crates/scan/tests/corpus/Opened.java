import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/** Calls behind which there may be other code, and recursion that goes round several methods. */
interface Opened<R> {
    R apply();

    default Opened<R> then(Function<R, R> f) {
        return () -> f.apply(apply());
    }

    default R twice() {
        apply();
        return apply();
    }
}

abstract class Nested {
    abstract Nested parent();

    int depth() {
        return parent().depth() + 1;
    }

    static int round(Nested n) {
        return n.depth() + square(n);
    }

    static int square(Nested n) {
        return round(n) * round(n); // allow: endless-recursion
    }
}

/** The only one in sight that gives a parent never answers. */
class Looped extends Nested {
    @Override
    Nested parent() {
        return parent(); // expect: endless-recursion
    }

    static int ask(Nested n, boolean deep) {
        if (deep) {
            n.parent();
            return 0;
        }
        return ask(n, true);
    }
}

final class Ring {
    private final int size;

    Ring(int n) {
        size = first(n).size; // expect: endless-recursion
    }

    static Ring first(int n) {
        return second(n + 1);
    }

    static Ring second(int n) {
        return new Ring(n);
    }

    static Supplier<Integer> sure(int n) {
        return () -> down(n) + 1;
    }

    private static int down(int n) {
        return down(n - 1) + 1; // expect: endless-recursion
    }
}

/** Who gives back asks the lock something before. */
class Asked {
    private final ReentrantLock lock = new ReentrantLock();
    private final ReentrantLock other = new ReentrantLock();
    private int n;

    void enter() {
        lock.lock();
    }

    void leave() {
        final ReentrantLock lock = this.lock;
        try {
            if (lock.getHoldCount() == 1) {
                n++;
            }
        } finally {
            lock.unlock();
        }
    }

    void kept() {
        other.lock(); // expect: unreleased-lock
        n++;
    }

    void right() {
        other.lock();
        try {
            n++;
        } finally {
            other.unlock();
        }
    }

    static int largest(List<Integer> all) {
        Iterator<Integer> it = all.iterator();
        int most = it.next(); // allow: iterator-without-hasnext
        while (it.hasNext()) {
            most = Math.max(most, it.next());
        }
        return most;
    }
}
