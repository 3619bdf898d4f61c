import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Locale;

/** Numbers and dates: values that are never changed. */
public class Numbers4 {
    static BigInteger factorial(int n) {
        BigInteger f = BigInteger.ONE;
        for (int i = 2; i <= n; i++) {
            f = f.multiply(BigInteger.valueOf(i));
        }
        return f;
    }

    static BigInteger factorialWrong(int n) {
        BigInteger f = BigInteger.ONE;
        for (int i = 2; i <= n; i++) {
            f.multiply(BigInteger.valueOf(i)); // expect: ignored-result
        }
        return f;
    }

    static BigDecimal rounded(BigDecimal d) {
        d.setScale(2, java.math.RoundingMode.HALF_UP); // expect: ignored-result
        return d;
    }

    static LocalDate due(LocalDate from, int days) {
        LocalDate d = from;
        d.plusDays(days); // expect: ignored-result
        return d;
    }

    static LocalDate dueRight(LocalDate from, int days) {
        return from.plusDays(days);
    }

    static Duration twice(Duration d) {
        d = d.plus(d);
        return d;
    }

    static String label(String s) {
        s.strip(); // expect: ignored-result
        return s.toLowerCase(Locale.ROOT);
    }

    static String padded(String s, int n) {
        StringBuilder b = new StringBuilder(s);
        while (b.length() < n) {
            b.append(' ');
        }
        b.reverse();
        return b.toString();
    }

    static int gcd(int a, int b) {
        while (b != 0) {
            int t = a % b;
            a = b;
            b = t;
        }
        return a;
    }

    static int digits(int n) {
        int count = 0;
        do {
            count++;
            n /= 10;
        } while (n != 0);
        return count;
    }

    static int digitsWrong(int n) {
        int count = 0;
        int rest = n;
        while (rest > 0) { // expect: endless-loop
            count++;
            n /= 10; // allow: unused-definition
        }
        return count;
    }

    static boolean isPrime(int n) {
        if (n < 2) {
            return false;
        }
        for (int i = 2; i * i <= n; i++) {
            if (n % i == 0) {
                return false;
            }
        }
        return true;
    }

    static int clamp(int n, int low, int high) {
        int result = n;
        if (result < low) {
            result = low;
        } else if (result > high) {
            result = high;
        }
        return result;
    }

    static int weight(int n) {
        int w = 10;
        if (n > 100) {
            w = 20;
        }
        if (w > 30) { // expect: decided-branch
            return 3;
        }
        return w;
    }
}
