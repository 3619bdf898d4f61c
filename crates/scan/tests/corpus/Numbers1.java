import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Tests that are decided, values that nobody reads. */
class Numbers1 {
    private static final boolean DEBUG = false;
    private static final int LIMIT = 10;
    private int state;

    int decided(int n) {
        int k = 5;
        if (k < 3) { // expect: decided-branch
            return n;
        }
        return k;
    }

    int again(int n) {
        if (n > 10) {
            return 1;
        }
        if (n > 20) { // expect: decided-branch
            return 2;
        }
        return 0;
    }

    int both(int n) {
        if (n > 10 && n < 5) { // expect: decided-branch
            return 1;
        }
        return 0;
    }

    int debug(int n) {
        if (DEBUG) {
            System.out.println(n);
        }
        return n;
    }

    int clamp(int n) {
        if (n < 0) {
            n = 0;
        }
        if (n > LIMIT) {
            n = LIMIT;
        }
        return n;
    }

    int unused(int n) {
        int first = n * 2; // expect: unused-definition
        first = n + 1;
        return first;
    }

    int parsed(String s) {
        int n = 0;
        try {
            n = Integer.parseInt(s);
        } catch (NumberFormatException e) {
            n = -1;
        }
        return n;
    }

    int sum(int[] all) {
        int sum = 0;
        for (int i = 0; i < all.length; i++) {
            sum += all[i];
        }
        int last = sum; // expect: unused-definition
        return all.length;
    }

    int average(List<Integer> all) {
        int sum = 0;
        for (int it : all) {
            sum += it;
        }
        return all.isEmpty() ? 0 : sum / all.size();
    }

    boolean unsigned(byte b) {
        int n = b & 0xff;
        return n >= 0; // allow: decided-branch
    }

    char grade(int points) {
        if (points < 0 || points > 100) {
            throw new IllegalArgumentException("points");
        }
        if (points >= 90) {
            return 'A';
        } else if (points >= 80) {
            return 'B';
        } else if (points >= 0) { // expect: decided-branch
            return 'C';
        }
        return 'F';
    }

    int steps(int n) {
        int steps = 0;
        while (n != 1) {
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
            steps++;
        }
        return steps;
    }

    int binary(int[] all, int wanted) {
        int low = 0;
        int high = all.length - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (all[mid] < wanted) {
                low = mid + 1;
            } else if (all[mid] > wanted) {
                high = mid - 1;
            } else {
                return mid;
            }
        }
        return -(low + 1);
    }

    int forgot(int[] all) {
        int i = 0;
        int sum = 0;
        while (i < 10) { // expect: endless-loop
            sum += all[0];
        }
        return sum;
    }

    int random(Random random) {
        int n = 0;
        while (random.nextInt(6) != 5) {
            n++;
        }
        return n;
    }

    BigDecimal total(List<BigDecimal> all) {
        BigDecimal total = BigDecimal.ZERO;
        for (BigDecimal it : all) {
            total.add(it); // expect: ignored-result
        }
        return total;
    }

    String clean(String s) {
        s.trim(); // expect: ignored-result
        return s.replace('a', 'b');
    }

    int machine(int[] input) {
        int at = 0;
        state = 0;
        while (true) {
            switch (state) {
                case 0:
                    state = input[at++] > 0 ? 1 : 2;
                    break;
                case 1:
                    return at;
                default:
                    state = at < input.length ? 0 : 1;
            }
        }
    }

    long power(long base, int exponent) {
        if (exponent == 0) {
            return 1;
        }
        long half = power(base, exponent / 2);
        return exponent % 2 == 0 ? half * half : half * half * base;
    }

    long factorial(int n) {
        return n * factorial(n - 1); // expect: endless-recursion
    }

    boolean even(int n) {
        return n == 0 || odd(n - 1);
    }

    boolean odd(int n) {
        return n != 0 && even(n - 1);
    }

    int ping(int n) { // allow: endless-recursion
        return pong(n + 1); // allow: endless-recursion
    }

    int pong(int n) { // allow: endless-recursion
        return ping(n - 1); // allow: endless-recursion
    }

    int[] sorted(int[] all) {
        int[] copy = Arrays.copyOf(all, all.length);
        Arrays.sort(copy);
        return copy;
    }
}
