import java.util.*;
class Lexemes {
    enum Kind { NUMBER, WORD, PLUS, END }
    record Token(Kind kind, String text) {}
    private final String in;
    private int at;
    Lexemes(String in) { this.in = in; }
    Token next() {
        while (at < in.length() && in.charAt(at) == ' ') at++;
        if (at == in.length()) return new Token(Kind.END, "");
        char c = in.charAt(at);
        int from = at;
        if (Character.isDigit(c)) {
            while (at < in.length() && Character.isDigit(in.charAt(at))) at++;
            return new Token(Kind.NUMBER, in.substring(from, at));
        }
        if (c == '+') { at++; return new Token(Kind.PLUS, "+"); }
        if (Character.isLetter(c)) {
            while (at < in.length() && Character.isLetter(in.charAt(at))) at++;
            return new Token(Kind.WORD, in.substring(from, at));
        }
        return null;
    }
    int sum() {
        int total = 0;
        while (true) {
            Token t = next();
            switch (t.kind()) { // expect: null-dereference
                case NUMBER: total += Integer.parseInt(t.text()); break;
                case PLUS: break;
                case END: return total;
                default: throw new IllegalArgumentException(t.text());
            }
        }
    }
    List<Token> all() {
        List<Token> all = new ArrayList<>();
        for (Token t = next(); t != null && t.kind() != Kind.END; t = next()) all.add(t);
        return all;
    }
    static String describe(Kind k) {
        String s = null;
        switch (k) {
            case NUMBER: s = "a number"; break;
            case WORD: s = "a word"; break;
            default: break;
        }
        return s.trim(); // expect: null-dereference
    }
    static String describeAll(Kind k) {
        return switch (k) {
            case NUMBER -> "a number";
            case WORD -> "a word";
            case PLUS -> "plus";
            case END -> "the end";
        };
    }
}
