import java.io.*;
/** Switches on strings. */
class Commands {
    private Reader input;
    int run(String command) throws IOException {
        switch (command) {
            case "open": input = new StringReader("x"); return 0;
            case "read": return input == null ? -1 : input.read();
            case "close": if (input != null) input.close(); return 0;
            default: return -2;
        }
    }
    static String help(String command) {
        String text = null;
        switch (command) {
            case "open": text = "opens"; break;
            case "close": text = "closes"; break;
            default: break;
        }
        return text.toUpperCase(); // expect: null-dereference
    }
    static String helpOr(String command) {
        String text;
        switch (command) {
            case "open": text = "opens"; break;
            case "close": text = "closes"; break;
            default: text = "?"; break;
        }
        return text.toUpperCase();
    }
    static int copy(String mode, File f) throws IOException {
        Reader r = null;
        switch (mode) {
            case "file": r = new FileReader(f); break;
            case "text": r = new StringReader("t"); break;
            default: return 0;
        }
        try {
            return r.read();
        } finally {
            r.close();
        }
    }
    static int peek(String mode, File f) throws IOException {
        Reader r;
        switch (mode) {
            case "file": r = new FileReader(f); break; // expect: unclosed-resource
            default: return 0;
        }
        int c = r.read();
        if (c == 'x') r.close();
        return c;
    }
    static int level(String name) {
        int n = 0;
        switch (name) {
            case "low": n = 1; break;
            case "high": n = 2; break;
        }
        if (n > 2) return -1; // expect: decided-branch
        return n;
    }
}
