/** Fields of classes that nothing writes. */
class Unset {
    private static Unset first;
    private static final Unset NONE = null;
    private static Unset later;
    static Unset open;
    private static boolean isOn;
    private String name = "a";

    static String never() {
        return first.name; // expect: null-dereference
    }

    static String none() {
        return NONE.name; // expect: null-dereference
    }

    static String whenSet() {
        return later.name;
    }

    static String ofOthers() {
        return open.name;
    }

    static int flag(int n) {
        if (isOn) { // expect: decided-branch
            return n;
        }
        return 0;
    }

    static void set(Unset it) {
        later = it;
    }
}
