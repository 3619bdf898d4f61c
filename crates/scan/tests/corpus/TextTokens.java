/** Hand-written scanning. */
class TextTokens {
    private final String text;
    private int at;
    TextTokens(String text) { this.text = text; }
    char look() { return at < text.length() ? text.charAt(at) : '\0'; }
    String word() {
        int from = at;
        while (Character.isLetter(look())) at++;
        return from == at ? null : text.substring(from, at);
    }
    String wordUpper() {
        String w = word();
        return w == null ? "" : w.toUpperCase();
    }
    int number() {
        int n = 0;
        while (Character.isDigit(look())) { n = n * 10 + look() - '0'; at++; }
        return n;
    }
    void spaces() {
        while (look() == ' ') at++;
    }
    void skipAll() {
        int i = 0;
        while (i < text.length()) { // expect: endless-loop
            if (text.charAt(i) == ' ') at++;
        }
    }
    static int indent(String line) {
        int n = 0;
        while (n < line.length() && line.charAt(n) == ' ') n++;
        if (n < 0) return 0; // expect: decided-branch
        return n;
    }
    static String keyword(int kind) {
        String k = null;
        if (kind == 1) k = "if";
        else if (kind == 2) k = "else";
        if (kind == 1) return k.trim();
        return k.concat(";"); // expect: null-dereference
    }
    static boolean same(String a, String b) {
        if (a.length() != b.length()) return false;
        if (a == null) return b == null; // expect: null-check-after-use
        return a.equals(b);
    }
}
