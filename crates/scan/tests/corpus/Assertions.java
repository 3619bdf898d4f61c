import java.util.HashMap;
import java.util.List;
import java.util.Map;
import missing.Assert;
import missing.TestBase;

/** Code that is not there, and comes back only if what it is told is so. */
class Assertions extends TestBase {
    private final Map<String, String> names = new HashMap<>();

    String name(String key) {
        for (String known : names.keySet()) {
            if (known.equals(key)) {
                return names.get(known);
            }
        }
        return null;
    }

    void told(String key) {
        String name = name(key);
        assertTrue("there is " + key, name != null);
        System.out.println(name.length());
    }

    void kept(String key) {
        String name = name(key);
        assertNotNull("there is " + key, name);
        System.out.println(name.length());
    }

    void opposite(String key) {
        String name = name(key);
        Assert.assertFalse(name == null);
        System.out.println(name.length());
    }

    void failed(String[] given) {
        if (given == null) {
            fail("nothing is given");
        }
        System.out.println(given.length);
    }

    void noted(String[] given) {
        if (given == null) {
            note("nothing is given");
        }
        System.out.println(given.length); // expect: null-dereference
    }

    void wrong(String[] given) {
        assertTrue(given == null);
        System.out.println(given.length); // expect: null-dereference
    }

    void caught(List<String> given) {
        String found = null;
        try {
            for (String each : given) {
                found = each;
            }
            if (found == null) {
                fail("nothing");
            }
        } catch (AssertionError e) {
            System.out.println(found.length()); // expect: null-dereference
        }
    }
}
