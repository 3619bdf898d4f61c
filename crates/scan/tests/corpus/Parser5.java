import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Command lines. */
public class Parser5 {
    static class Options {
        String name;
        String output;
        boolean verbose;
    }

    static Options parse(List<String> args) {
        Options o = new Options();
        Iterator<String> i = args.iterator();
        while (i.hasNext()) {
            String a = i.next();
            switch (a) {
                case "-v":
                    o.verbose = true;
                    break;
                case "-o":
                    o.output = i.next(); // expect: iterator-without-hasnext
                    break;
                default:
                    o.name = a;
            }
        }
        return o;
    }

    static Options parseRight(List<String> args) {
        Options o = new Options();
        Iterator<String> i = args.iterator();
        while (i.hasNext()) {
            String a = i.next();
            if (a.equals("-o")) {
                if (!i.hasNext()) {
                    throw new IllegalArgumentException("-o needs a file");
                }
                o.output = i.next();
            } else {
                o.name = a;
            }
        }
        return o;
    }

    static String env(Map<String, String> env, String key) {
        String v = env.get(key);
        if (v == null) {
            v = System.getenv(key);
        }
        if (v == null) {
            return "";
        }
        return v.trim();
    }

    static boolean isSet(String s) {
        return s != null && !s.isEmpty();
    }

    static int width(String s) {
        if (!isSet(s)) {
            return 0;
        }
        return s.length();
    }

    static int widthWrong(String s) {
        if (isSet(s)) {
            return s.length();
        }
        if (s == null) {
            return s.hashCode(); // expect: null-dereference
        }
        return 0;
    }

    static String require(String s, String what) {
        if (s == null) {
            throw new IllegalArgumentException(what);
        }
        return s;
    }

    static int required(String property) {
        String s = require(System.getProperty(property), property);
        return s.length();
    }

    static int optional(String property) {
        String s = System.getProperty(property);
        int n = 0;
        if (Objects.nonNull(s)) {
            n = s.length();
        }
        return n;
    }

    static int columns() {
        String s = System.getenv("COLUMNS");
        int n = 80; // expect: unused-definition
        try {
            n = Integer.parseInt(s);
        } catch (NumberFormatException e) {
            n = 80;
        }
        return n;
    }

    static String upper(String s) {
        String r = s == null ? null : s.trim();
        return r.toUpperCase(); // expect: null-dereference
    }

    static String quoted(String s) {
        String r = s;
        if (s == null) {
            r = "";
        }
        return '"' + r.trim() + '"';
    }

    static int mode(String s) {
        int mode = -1; // allow: unused-definition
        if ("fast".equals(s)) {
            mode = 1;
        } else {
            mode = 2;
        }
        return mode;
    }
}
