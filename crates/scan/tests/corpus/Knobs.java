import java.util.List;

/** Tests whose outcome others may change, and how their outcome reads in the source. */
public class Knobs {
    /** Set by who wants to see more. */
    public static boolean verbose = false;
    protected int depth = 0;
    boolean quiet = false;
    private static boolean checked = false;

    public interface Options {
        boolean isFast();
    }

    static class Plain implements Options {
        @Override
        public boolean isFast() {
            return false;
        }
    }

    boolean isVerbose() {
        return verbose;
    }

    void say(String what) {
        if (verbose) {
            System.out.println(what);
        }
        if (isVerbose()) {
            System.err.println(what);
        }
        if (depth > 2) {
            System.err.println("deep");
        }
    }

    void ask(Options options, String what) {
        if (options.isFast()) {
            System.out.println(what);
        }
    }

    void own(String what) {
        if (checked) { // expect: decided-branch
            System.out.println(what);
        }
        if (quiet) { // expect: decided-branch
            System.out.println(what);
        }
    }

    static int bounds(List<String> names, int given) {
        int size = names.size();
        if (size < 0 || given > 7) { // expect: decided-branch
            return 0;
        }
        int number = new java.util.Random().nextInt();
        if (number <= Integer.MAX_VALUE) { // expect: decided-branch
            return size;
        }
        return number;
    }
}
