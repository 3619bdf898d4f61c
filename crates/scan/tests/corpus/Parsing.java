import java.util.*;
import java.util.regex.*;
class Parsing {
    private static final Pattern P = Pattern.compile("(\\w+)=(\\w*)");
    static Map<String, String> parse(String s) {
        Map<String, String> m = new HashMap<>();
        Matcher x = P.matcher(s);
        while (x.find()) m.put(x.group(1), x.group(2));
        return m;
    }
    static String value(String s) {
        Matcher x = P.matcher(s);
        if (!x.matches()) return null;
        return x.group(2);
    }
    static int size(String s) {
        String v = value(s);
        if (v == null) return 0;
        return v.length();
    }
    static int sizeBad(String s) {
        return value(s).length(); // expect: null-dereference
    }
    static String replace(String s) {
        s.replace('a', 'b'); // expect: ignored-result
        s = s.trim();
        return s;
    }
    static int counter(String s) {
        int n = 0;
        int i = s.indexOf('a');
        while (i >= 0) {
            n++;
            i = s.indexOf('a', i + 1);
        }
        return n;
    }
    static int stuck(String s) {
        int n = 0;
        int i = s.indexOf('a');
        while (i >= 0) { // expect: endless-loop
            n++;
        }
        return n;
    }
    static String strip(String s) {
        int a = 0, b = s.length();
        while (a < b && s.charAt(a) == ' ') a++;
        while (b > a && s.charAt(b - 1) == ' ') b--;
        return s.substring(a, b);
    }
    static boolean check(String s) {
        boolean ok = s.startsWith("a"); // allow: unused-definition
        ok = s.length() > 3;
        return ok;
    }
}
