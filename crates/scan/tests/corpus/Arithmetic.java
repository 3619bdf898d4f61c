import java.util.*;
class Arithmetic {
    private static final int MAX = 5;
    static int retry(java.util.concurrent.Callable<Integer> c) throws Exception {
        Exception last = null;
        for (int i = 0; i < MAX; i++) {
            try { return c.call(); } catch (Exception e) { last = e; }
        }
        throw last;
    }
    static int retryN(java.util.concurrent.Callable<Integer> c, int n) {
        RuntimeException last = null;
        while (n-- > 0) {
            try { return c.call(); } catch (Exception e) { last = new RuntimeException(e); }
        }
        System.err.println(last.getMessage()); // expect: null-dereference
        return -1;
    }
    static int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
    static int depth(int n) { return 1 + depth(n + 1); } // expect: endless-recursion
    static int spin(int n) {
        int i = 0;
        while (i < n) { // expect: endless-loop
            if (n > 10) n = 10;
        }
        return i;
    }
    static int binary(int[] a, int k) {
        int lo = 0, hi = a.length - 1;
        while (lo <= hi) {
            int mid = (lo + hi) >>> 1;
            if (a[mid] < k) lo = mid + 1;
            else if (a[mid] > k) hi = mid - 1;
            else return mid;
        }
        return -1;
    }
    static int dead(int n) {
        int x = n * 2; // expect: unused-definition
        x = n + 1;
        return x;
    }
    static boolean always(int n) {
        if (n > 10) {
            if (n < 5) return false; // expect: decided-branch
        }
        return true;
    }
    static boolean has(Collection<String> all, String s) {
        boolean found = false;
        for (String it : all) if (it.equals(s)) { found = true; break; }
        return found;
    }
}
