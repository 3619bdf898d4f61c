/** Checks by code that is not there. */
class Checks {
    static native void require(boolean holds, String text);

    static int checked(String s) {
        require(s != null, "none");
        return s.length();
    }

    static int logged(String s) {
        if (s == null) {
            System.out.println("none");
        }
        return s.length(); // expect: null-dereference
    }
}
