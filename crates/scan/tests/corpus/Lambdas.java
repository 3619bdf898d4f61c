import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.function.*;
/** Resources that lambdas and inner classes hold. */
class Lambdas {
    interface Action { void run() throws IOException; }
    private final List<Closeable> open = new ArrayList<>();
    private InputStream kept;
    void later(File f, ExecutorService x) throws IOException {
        InputStream in = new FileInputStream(f);
        x.submit(() -> { try { in.read(); in.close(); } catch (IOException e) { } });
    }
    void inLambda(List<File> l) {
        l.forEach(f -> {
            try {
                InputStream in = new FileInputStream(f); // expect: unclosed-resource
                System.out.println(in.read());
            } catch (IOException e) { System.err.println(e); }
        });
    }
    void inLambdaOk(List<File> l) {
        l.forEach(f -> {
            try (InputStream in = new FileInputStream(f)) { System.out.println(in.read()); }
            catch (IOException e) { System.err.println(e); }
        });
    }
    void collected(File f) throws IOException { FileInputStream in = new FileInputStream(f); open.add(in); }
    void intoField(File f) throws IOException { kept = new FileInputStream(f); }
    Runnable closer(File f) throws IOException {
        FileInputStream in = new FileInputStream(f);
        return () -> { try { in.close(); } catch (IOException e) { } };
    }
    Runnable anonymous(final File f) throws IOException {
        final FileInputStream in = new FileInputStream(f);
        return new Runnable() { public void run() { try { in.read(); in.close(); } catch (IOException e) { } } };
    }
    class Inner implements Closeable {
        private final InputStream in;
        Inner(File f) throws IOException { in = new FileInputStream(f); }
        int read() throws IOException { return in.read(); }
        public void close() throws IOException { in.close(); }
    }
    int inner(File f) throws IOException { try (Inner i = new Inner(f)) { return i.read(); } }
    int innerBad(File f) throws IOException { Inner i = new Inner(f); return i.read(); } // expect: unclosed-resource
    int nullCapture(String s) {
        if (s == null) { System.out.println("none"); }
        Supplier<Integer> len = () -> s.length();
        return len.get();
    }
    int local() {
        String t = null;
        Function<String, Integer> f = x -> x == null ? 0 : x.length();
        return f.apply(t);
    }
    static void with(File f, Consumer<InputStream> c) throws IOException {
        try (InputStream in = new FileInputStream(f)) { c.accept(in); }
    }
    void unread(Supplier<String> s) {
        String t = s.get(); // expect: unused-definition
        t = "b";
        System.out.println(t);
    }
}
