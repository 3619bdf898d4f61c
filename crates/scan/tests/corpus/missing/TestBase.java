package missing;

/** Compiled against, and not scanned. */
public class TestBase extends Assert {
    public static void assertTrue(String why, boolean is) {
        assertTrue(is);
    }

    public static void assertNotNull(String why, Object object) {
        assertTrue(object != null);
    }

    public static void fail(String why) {
        throw new AssertionError(why);
    }

    public static void note(String why) {
        System.err.println(why);
    }
}
