import java.io.*;
import java.util.*;
import java.util.concurrent.locks.*;
import java.util.function.*;
/** Lambdas. */
class Callbacks {
    private final Lock lock = new ReentrantLock();
    private final List<Runnable> all = new ArrayList<>();
    <T> T locked(Supplier<T> body) {
        lock.lock();
        try {
            return body.get();
        } finally {
            lock.unlock();
        }
    }
    <T> T lockedBadly(Supplier<T> body) {
        lock.lock(); // expect: unreleased-lock
        T t = body.get();
        if (t == null) return null;
        lock.unlock();
        return t;
    }
    int size() { return locked(all::size); }
    void add(Runnable r) { locked(() -> all.add(r)); }
    static String name(String s) {
        Function<String, String> trim = x -> x == null ? null : x.trim();
        return trim.apply(s);
    }
    static int nothing() {
        Supplier<String> none = () -> null;
        String s = none.get();
        return s.length(); // missed: null-dereference
    }
    static int something() {
        Supplier<String> some = () -> "x";
        return some.get().length();
    }
    static long lines(File f) throws IOException {
        try (BufferedReader r = new BufferedReader(new FileReader(f))) {
            return r.lines().filter(x -> !x.isEmpty()).count();
        }
    }
    static Runnable later(File f) {
        return () -> {
            try {
                FileWriter w = new FileWriter(f); // expect: unclosed-resource
                w.write("later");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }
    static void filtered(List<String> names) {
        names.stream().filter(x -> x.length() > 2).map(String::trim); // expect: ignored-result
    }
}
