import java.util.*;
class Calendar1 {
    static int days(int month, boolean leap) {
        int d;
        switch (month) {
            case 2: d = leap ? 29 : 28; break;
            case 4: case 6: case 9: case 11: d = 30; break;
            default: d = 31;
        }
        return d;
    }
    static String roman(int n) {
        String s = null;
        if (n == 1) s = "I";
        else if (n == 5) s = "V";
        else if (n == 10) s = "X";
        if (n == 1 || n == 5) return s.toLowerCase();
        return s;
    }
    static int bad(int n) {
        String s = roman(n);
        return s.length(); // expect: null-dereference
    }
    static int good(int n) {
        String s = roman(5);
        return s.length() + n;
    }
    static String mode(String m) {
        String r = null;
        switch (m) {
            case "r": r = "read"; break;
            case "w": r = "write"; break;
        }
        if (r == null) throw new IllegalArgumentException(m);
        return r.toUpperCase();
    }
    static boolean contradiction(String m) {
        if (m == null) return false;
        if (m != null && m.isEmpty()) return true;
        return false;
    }
    static int unreachable(int n) {
        int k = 3;
        if (k > 5) return n; // expect: decided-branch
        return k;
    }
    static int loop(int n) {
        int i = 0;
        do { i++; } while (i < n);
        for (;;) {
            if (i-- == 0) return n;
        }
    }
    static int forever(int n) {
        for (int i = 0; i < 10; i--) {
            if (n == i) n++;
        }
        return n;
    }
    static int overwritten(List<Integer> all) {
        int size = all.size(); // expect: unused-definition
        size = 0;
        for (int x : all) size += x;
        return size;
    }
}
