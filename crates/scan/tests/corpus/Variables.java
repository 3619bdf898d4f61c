import java.util.List;

/** Values nobody reads, tests that are decided. */
class Variables {
    private static final boolean DEBUG = false;
    private int limit = 10;

    static int overwritten(int a, int b) {
        int sum = a * b; // expect: unused-definition
        sum = a + b;
        return sum;
    }

    static int neverRead(List<String> all) {
        int size = all.size(); // expect: unused-definition
        return all.hashCode();
    }

    static int initial(boolean b) {
        int n = 0;
        if (b) {
            n = 1;
        } else {
            n = 2;
        }
        return n;
    }

    static int lastWrite(int a) {
        int n = a + 1;
        System.out.println(n);
        n = a + 2; // expect: unused-definition
        return a;
    }

    static int accumulated(int[] all) {
        int sum = 0;
        for (int i : all) {
            sum += i;
        }
        return sum;
    }

    static int inCatch(String s) {
        int n = -1;
        try {
            n = Integer.parseInt(s);
        } catch (NumberFormatException e) {
            System.err.println("not a number");
        }
        return n;
    }

    static int parameter(int n) {
        n = 5; // expect: unused-definition
        return 1;
    }

    static int captured(List<Integer> all) {
        int base = all.size();
        all.forEach(it -> System.out.println(it + base));
        return 0;
    }

    static int debug(int n) {
        if (DEBUG) {
            System.out.println(n);
        }
        return n;
    }

    static String sign(int n) {
        if (n > 0) {
            return "plus";
        } else if (n <= 0) { // expect: decided-branch
            return "minus";
        }
        return "never";
    }

    static String range(int n) {
        if (n > 10) {
            if (n < 5) { // expect: decided-branch
                return "odd";
            }
            return "big";
        }
        return "small";
    }

    static String rangeRight(int n) {
        if (n > 10) {
            if (n < 50) {
                return "medium";
            }
            return "big";
        }
        return "small";
    }

    static int constant(int a) {
        int mode = 2;
        if (mode == 3) { // expect: decided-branch
            return a;
        }
        return mode;
    }

    static int flag(int[] all) {
        boolean found = false;
        for (int i : all) {
            if (i == 7) {
                found = true;
            }
        }
        return found ? 1 : 0;
    }

    static int remainder(int n) {
        if (n % 4 == 5) { // expect: decided-branch
            return 1;
        }
        return n % 4 == 3 ? 2 : 0;
    }

    static boolean size(List<String> all) {
        return all.size() >= 0; // allow: decided-branch
    }

    int field() {
        if (limit > 5) {
            limit--;
            return 1;
        }
        return 0;
    }

    static int retries() {
        int left = 3;
        while (left > 0) {
            if (System.nanoTime() % 2 == 0) {
                return left;
            }
            left--;
        }
        return -1;
    }

    static long lengths(String s) {
        long n = s.length();
        if (n < 0) { // allow: decided-branch
            return 0;
        }
        return n;
    }

    static int same(int a) {
        if (a == 1) {
            return 1;
        }
        if (a == 1) { // allow: decided-branch
            return 2;
        }
        return 3;
    }

    static boolean text() {
        String s = "abc";
        return s.equals("abd"); // allow: decided-branch
    }
}
