import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Loops over what is not empty are gone round at least once. */
class Longest {
    private final List<String> names = new ArrayList<>();

    int longest() {
        if (names.isEmpty()) {
            return 0;
        }
        String best = null;
        for (String name : names) {
            if (best == null || name.length() > best.length()) {
                best = name;
            }
        }
        return best.length();
    }

    static String last(List<String> all) {
        String found = null;
        if (all != null && !all.isEmpty()) {
            for (Iterator<String> i = all.iterator(); i.hasNext();) {
                found = i.next();
            }
            return found.trim();
        }
        return "";
    }

    static String lastOfAny(List<String> all) {
        String found = null;
        for (String one : all) {
            found = one;
        }
        return found.trim(); // expect: null-dereference
    }

    static String lastOfOther(List<String> all, List<String> other) {
        if (other.isEmpty()) {
            return "";
        }
        String found = null;
        for (String one : all) {
            found = one;
        }
        return found.trim(); // expect: null-dereference
    }

    static String lastAfterRemoval(List<String> all) {
        if (all.isEmpty()) {
            return "";
        }
        all.remove(0);
        String found = null;
        for (String one : all) {
            found = one;
        }
        return found.trim(); // expect: null-dereference
    }

    static String firstLong(List<String> all) {
        if (all.isEmpty()) {
            return "";
        }
        String found = null;
        for (String one : all) {
            if (one.length() > 9) {
                found = one;
                break;
            }
        }
        return found.trim(); // expect: null-dereference
    }

    String lastOfSteps() {
        if (names.isEmpty()) {
            return "";
        }
        Iterator<String> i = names.iterator();
        String found = i.next();
        while (i.hasNext()) {
            found = i.next();
        }
        return found;
    }

    static String first(List<String> all) {
        if (all.isEmpty()) {
            return "";
        }
        for (String one : all) {
            return one;
        }
        return "none";
    }
}
