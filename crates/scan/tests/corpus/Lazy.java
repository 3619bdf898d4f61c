import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Values that are made on demand. */
public class Lazy<T> {
    private volatile T value;
    private final Supplier<? extends T> supplier;
    private static Lazy<String> shared;
    private final AtomicReference<T> cell = new AtomicReference<>();

    public Lazy(Supplier<? extends T> supplier) {
        this.supplier = supplier;
    }

    public T get() {
        T v = value;
        if (v == null) {
            synchronized (this) {
                v = value;
                if (v == null) {
                    v = supplier.get();
                    value = v;
                }
            }
        }
        return v;
    }

    public static Lazy<String> shared() {
        if (shared == null) {
            shared = new Lazy<>(() -> "shared");
        }
        return shared;
    }

    public static int sharedLength() {
        return shared().get().length();
    }

    public T cell() {
        T v = cell.get();
        while (v == null) {
            T made = supplier.get();
            if (cell.compareAndSet(null, made)) {
                return made;
            }
            v = cell.get();
        }
        return v;
    }

    public int hash() {
        Object o = null;
        if (value != null) {
            o = value;
        }
        return o.hashCode(); // expect: null-dereference
    }

    public int hashRight() {
        Object o = "none";
        if (value != null) {
            o = value;
        }
        return o.hashCode();
    }

    public String show(Object other) {
        String s = other.toString();
        if (other == null) { // expect: null-check-after-use
            s = "none";
        }
        return s;
    }

    public void awaitValue() throws InterruptedException {
        while (value == null) {
            Thread.sleep(10);
        }
    }

    public void spin() {
        boolean done = false;
        while (!done) { // expect: endless-loop
            if (value != null) {
                System.out.println("there");
            }
        }
    }

    public void spinRight() {
        boolean done = false;
        while (!done) {
            if (value != null) {
                done = true;
            }
        }
    }

    public boolean flag(boolean on) {
        boolean set = true;
        if (on && !set) { // expect: decided-branch
            return false;
        }
        return on;
    }
}
