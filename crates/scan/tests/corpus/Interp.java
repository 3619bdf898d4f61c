import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** A machine with a stack of numbers. */
public class Interp {
    static final int PUSH = 1, ADD = 2, JUMP = 3, HALT = 4;

    static class Frame {
        final Map<String, Integer> names = new HashMap<>();
        final Frame outer;

        Frame(Frame outer) {
            this.outer = outer;
        }

        Integer lookup(String n) {
            for (Frame f = this; f != null; f = f.outer) {
                Integer i = f.names.get(n);
                if (i != null) {
                    return i;
                }
            }
            return null;
        }
    }

    private final Deque<Integer> stack = new ArrayDeque<>();
    private Frame frame = new Frame(null);
    private int steps;

    int run(int[] code) {
        int pc = 0;
        while (true) {
            steps++;
            switch (code[pc]) {
                case PUSH:
                    stack.push(code[pc + 1]);
                    pc += 2;
                    break;
                case ADD:
                    stack.push(stack.pop() + stack.pop());
                    pc++;
                    break;
                case JUMP:
                    pc = code[pc + 1];
                    break;
                case HALT:
                    return stack.isEmpty() ? 0 : stack.pop();
                default:
                    throw new IllegalStateException("code " + code[pc]);
            }
        }
    }

    int runWrong(int[] code) {
        int pc = 0;
        int sum = 0;
        while (pc >= 0) { // expect: endless-loop
            if (code[0] == HALT) {
                sum++;
            }
            pc = (pc + 1) % 16;
        }
        return sum;
    }

    int value(String name) {
        Integer i = frame.lookup(name);
        if (i == null) {
            throw new IllegalArgumentException(name);
        }
        return i;
    }

    int doubled(String name) {
        Integer i = frame.lookup(name);
        return i.intValue() * 2; // expect: null-dereference
    }

    void enter() {
        frame = new Frame(frame);
    }

    void leave() {
        if (frame.outer != null) {
            frame = frame.outer;
        }
    }

    int fact(int n) {
        if (n <= 1) {
            return 1;
        }
        return n * fact(n - 1);
    }

    int fib(int n) {
        int a = fib(n - 1); // expect: endless-recursion
        int b = fib(n - 2);
        return a + b;
    }

    int power(int base, int exponent) {
        int result = 1;
        int e = exponent;
        while (e > 0) {
            if ((e & 1) == 1) {
                result *= base;
            }
            base *= base;
            e >>= 1;
        }
        return result;
    }

    String mode(int kind) {
        String text = "other"; // expect: unused-definition
        if (kind == PUSH) {
            text = "push";
        } else if (kind == ADD) {
            text = "add";
        } else {
            text = "more";
        }
        return text;
    }

    boolean isSmall(int n) {
        if (n > 100) {
            return false;
        }
        return n <= 100; // allow: decided-branch
    }

    boolean isOdd(int n) {
        int rest = n % 2;
        if (rest == 3) { // expect: decided-branch
            return true;
        }
        return rest != 0;
    }
}
