package missing;

/** Compiled against, and not scanned. */
public class Assert {
    public static void assertTrue(boolean is) {
        if (!is) {
            throw new AssertionError();
        }
    }

    public static void assertFalse(boolean is) {
        assertTrue(!is);
    }
}
