import java.util.ArrayList;
import java.util.List;

/** Cuts text into tokens. */
public class Lexer4 {
    enum Kind { NAME, NUMBER, SIGN, END }

    static class Token {
        final Kind kind;
        final String text;

        Token(Kind kind, String text) {
            this.kind = kind;
            this.text = text;
        }
    }

    private final char[] input;
    private int at;
    private Token last;

    Lexer4(String s) {
        input = s.toCharArray();
    }

    Token next() {
        while (at < input.length && input[at] == ' ') {
            at++;
        }
        if (at == input.length) {
            return last = new Token(Kind.END, "");
        }
        int begin = at;
        char c = input[at++];
        if (Character.isLetter(c)) {
            while (at < input.length && Character.isLetterOrDigit(input[at])) {
                at++;
            }
            return last = new Token(Kind.NAME, new String(input, begin, at - begin));
        }
        if (Character.isDigit(c)) {
            while (at < input.length && Character.isDigit(input[at])) {
                at++;
            }
            return last = new Token(Kind.NUMBER, new String(input, begin, at - begin));
        }
        return last = new Token(Kind.SIGN, String.valueOf(c));
    }

    List<Token> all() {
        List<Token> tokens = new ArrayList<>();
        Token t;
        do {
            t = next();
            tokens.add(t);
        } while (t.kind != Kind.END);
        return tokens;
    }

    Token nameOrNull() {
        Token t = next();
        if (t.kind == Kind.NAME) {
            return t;
        }
        return null;
    }

    String name() {
        Token t = nameOrNull();
        if (t == null) {
            throw new IllegalStateException("a name is expected");
        }
        return t.text;
    }

    String nameWrong() {
        Token t = nameOrNull();
        return t.text; // expect: null-dereference
    }

    int number() {
        Token t = next();
        int value = 0;
        if (t.kind != Kind.NUMBER) {
            fail("number");
        }
        for (char c : t.text.toCharArray()) {
            value = value * 10 + (c - '0');
        }
        return value;
    }

    private void fail(String what) {
        throw new IllegalStateException(what + " expected at " + at);
    }

    Token check(Token t) {
        Token kept = null;
        if (t.kind == Kind.SIGN) {
            kept = t;
        }
        if (kept == null) {
            fail("sign");
        }
        System.out.println(kept.text);
        return kept;
    }

    int columns(String s) {
        int width = 0;
        int tabs = 0;
        for (int i = 0; i < s.length(); i++) {
            if (s.charAt(i) == '\t') {
                tabs++;
                width += 8;
            } else {
                width++;
            }
        }
        if (tabs < 0) { // expect: decided-branch
            return -1;
        }
        return width;
    }

    void skipTo(char stop) {
        int i = at;
        while (input[i] != stop) { // missed: endless-loop
            System.out.println("skipping");
        }
        at = i;
    }
}
