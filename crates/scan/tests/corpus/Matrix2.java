/** Numbers and arrays. */
class Matrix2 {
    private double[][] rows;
    static int gcd(int a, int b) {
        while (b != 0) { int t = a % b; a = b; b = t; }
        return a;
    }
    static int clamp(int n, int low, int high) {
        if (n < low) return low;
        if (n > high) return high;
        return n;
    }
    static int percent(int n) {
        int p = clamp(n, 0, 100);
        int q = p * 2; // expect: unused-definition
        q = p;
        return q;
    }
    static int sign(int n) {
        if (n > 0) return 1;
        if (n < 0) return -1;
        if (n != 0) return 2; // expect: decided-branch
        return 0;
    }
    static int find(int[] all, int n) {
        for (int i = 0; i < all.length; i++) if (all[i] == n) return i;
        return -1;
    }
    static int[] merged(int[] a, int[] b) {
        int[] all = null;
        if (a != null && b != null) {
            all = new int[a.length + b.length];
            System.arraycopy(a, 0, all, 0, a.length);
        }
        if (b != null) System.arraycopy(b, 0, all, all.length - b.length, b.length); // expect: null-dereference
        return all;
    }
    static int[] doubled(int[] a) {
        int[] all = null;
        if (a != null) all = new int[2 * a.length];
        if (a != null) System.arraycopy(a, 0, all, 0, a.length);
        return all;
    }
    static int down(int n) {
        int i = n;
        while (i > 0) { // expect: endless-loop
            if (n > 3) n--;
        }
        return i;
    }
    double[] row(int i) {
        if (rows == null) rows = new double[4][4];
        return rows[i];
    }
}
