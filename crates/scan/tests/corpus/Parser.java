import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A parser of the usual kind: nothing is wrong here. */
class Parser {
    private final String text;
    private int at;
    private final Map<String, Integer> names = new HashMap<>();

    Parser(String text) {
        this.text = text;
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private void skipBlanks() {
        while (peek() == ' ' || peek() == '\t') {
            at++;
        }
    }

    int expression() {
        int value = term();
        while (true) {
            skipBlanks();
            char c = peek();
            if (c == '+') {
                at++;
                value += term();
            } else if (c == '-') {
                at++;
                value -= term();
            } else {
                return value;
            }
        }
    }

    private int term() {
        int value = factor();
        for (;;) {
            skipBlanks();
            if (peek() != '*') {
                break;
            }
            at++;
            value *= factor();
        }
        return value;
    }

    private int factor() {
        skipBlanks();
        if (peek() == '(') {
            at++;
            int value = expression();
            expect(')');
            return value;
        }
        int start = at;
        while (Character.isDigit(peek())) {
            at++;
        }
        if (start == at) {
            throw new IllegalStateException("number expected at " + at);
        }
        return Integer.parseInt(text.substring(start, at));
    }

    private void expect(char c) {
        if (peek() != c) {
            throw new IllegalStateException(c + " expected");
        }
        at++;
    }

    List<String> words() {
        List<String> all = new ArrayList<>();
        StringBuilder word = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isLetter(c)) {
                if (word == null) {
                    word = new StringBuilder();
                }
                word.append(c);
            } else if (word != null) {
                all.add(word.toString());
                word = null;
            }
        }
        if (word != null) {
            all.add(word.toString());
        }
        return all;
    }

    int id(String name) {
        Integer known = names.get(name);
        if (known != null) {
            return known;
        }
        int next = names.size();
        names.put(name, next);
        return next;
    }

    static int depth(String s) {
        int depth = 0;
        int most = 0;
        for (char c : s.toCharArray()) {
            switch (c) {
                case '(':
                    depth++;
                    if (depth > most) {
                        most = depth;
                    }
                    break;
                case ')':
                    depth--;
                    if (depth < 0) {
                        return -1;
                    }
                    break;
                default:
                    break;
            }
        }
        return depth == 0 ? most : -1;
    }

    static int[] sorted(int[] all) {
        int[] copy = all.clone();
        boolean swapped = true;
        while (swapped) {
            swapped = false;
            for (int i = 1; i < copy.length; i++) {
                if (copy[i - 1] > copy[i]) {
                    int t = copy[i];
                    copy[i] = copy[i - 1];
                    copy[i - 1] = t;
                    swapped = true;
                }
            }
        }
        return copy;
    }

    static int search(int[] all, int wanted) {
        int low = 0;
        int high = all.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (all[middle] < wanted) {
                low = middle + 1;
            } else if (all[middle] > wanted) {
                high = middle - 1;
            } else {
                return middle;
            }
        }
        return -(low + 1);
    }
}
