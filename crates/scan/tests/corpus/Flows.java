import java.util.*;
/** Tests, and where they lead. */
class Flows {
    private String cached; private List<String> items; private static boolean debug; private static final boolean ON = Boolean.getBoolean("x");
    String lazy() { if (cached == null) cached = String.valueOf(hashCode()); return cached; }
    int lazyLength() { return lazy().length(); }
    boolean hasItems() { return items != null && !items.isEmpty(); }
    int first() { if (hasItems()) return items.get(0).length(); return 0; }
    int firstBad() { if (items == null) { System.out.println("none"); } return items.size(); } // expect: null-dereference
    int flags(boolean a, String s) {
        boolean ok = s != null;
        if (a && ok) return s.length();
        return 0;
    }
    int flagsBad(boolean a, String s) {
        boolean ok = s != null;
        if (a || ok) return s.length(); // allow: null-dereference
        return 0;
    }
    int early(String s) { if (s == null) fail("x"); return s.length(); }
    private static void fail(String m) { throw new IllegalStateException(m); }
    int early2(String s) { if (s == null) warn("x"); return s.length(); } // expect: null-dereference
    private static void warn(String m) { System.err.println(m); }
    int exit(String s) { if (s == null) System.exit(1); return s.length(); }
    int loopVar(String[] a) {
        String last = null;
        for (int i = 0; i < a.length; i++) last = a[i];
        return last.length(); // expect: null-dereference
    }
    int loopVarOk(String[] a) {
        if (a.length == 0) return 0;
        String last = null;
        for (int i = 0; i < a.length; i++) last = a[i];
        return last.length(); // allow: null-dereference
    }
    int catches(String s) {
        Integer n = null;
        try { n = Integer.valueOf(s); } catch (NumberFormatException e) { System.err.println(e); }
        return n.intValue(); // expect: null-dereference
    }
    int catchesOk(String s) {
        Integer n;
        try { n = Integer.valueOf(s); } catch (NumberFormatException e) { n = 0; }
        return n.intValue();
    }
    void log(String s) { if (debug) System.out.println(s); }
    void on(String s) { if (ON) System.out.println(s); }
    static void setDebug(boolean b) { debug = b; }
    int unusedWrite(int a) {
        int b = a * 2; // expect: unused-definition
        b = a + 1;
        return b;
    }
    int usedLater(int a) { int b = 0; if (a > 0) b = a; return b; }
    int counting(int n) { int i = 0; while (i < n) { n = n + 0; } return i; } // allow: endless-loop
    void down(int n) { for (int i = n; i > 0; i++) System.out.println(i); }
    int ternary(String a, String b) { String c = a != null ? a : b; return c.length(); }
    int both(String a, String b) { if (a == null && b == null) return 0; return a != null ? a.length() : b.length(); }
    int xor(String a) { String b = a; if (b == null) return 0; return a.length(); }
    int arr(int[] a) { int[] b = a.length > 0 ? a : null; if (b == null) return 0; return b[0]; }
    int arrBad(int n) { int[] b = n > 0 ? new int[n] : null; return b.length; } // expect: null-dereference
    Integer unbox(Map<String, Integer> m) { Integer i = null; if (m.containsKey("a")) i = m.get("a"); return i == null ? 0 : i + 1; }
}
