import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A small parser by recursive descent. */
public final class JsonReader1 {
    private final String text;
    private int at;

    public JsonReader1(String text) {
        this.text = text;
    }

    public Object value() {
        skip();
        if (at >= text.length()) {
            throw new IllegalStateException("end of text");
        }
        char c = text.charAt(at);
        return switch (c) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            case 't' -> word("true", Boolean.TRUE);
            case 'f' -> word("false", Boolean.FALSE);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private Object word(String word, Object value) {
        if (!text.startsWith(word, at)) {
            throw new IllegalStateException("unknown word at " + at);
        }
        at += word.length();
        return value;
    }

    private Map<String, Object> object() {
        Map<String, Object> map = new LinkedHashMap<>();
        at++;
        skip();
        while (text.charAt(at) != '}') {
            String key = string();
            skip();
            at++;
            map.put(key, value());
            skip();
            if (text.charAt(at) == ',') {
                at++;
                skip();
            }
        }
        at++;
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        at++;
        skip();
        while (text.charAt(at) != ']') {
            list.add(value());
            skip();
            if (text.charAt(at) == ',') {
                at++;
            }
        }
        at++;
        return list;
    }

    private String string() {
        int begin = ++at;
        while (text.charAt(at) != '"') {
            at++;
        }
        String s = text.substring(begin, at++);
        s.trim(); // expect: ignored-result
        return s;
    }

    private Number number() {
        int begin = at;
        boolean real = false;
        while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
            if (text.charAt(at) == '.') {
                real = true;
            }
            at++;
        }
        String digits = text.substring(begin, at);
        if (real) {
            return Double.valueOf(digits);
        }
        return Long.valueOf(digits);
    }

    /** Goes on to the next line, but never advances. */
    void skipLine() {
        int i = 0;
        while (i < 10) { // expect: endless-loop
            if (text.isEmpty()) {
                System.out.println("empty");
            }
        }
    }

    private void skip() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    int depth(Object value) {
        int best = 0;
        int unused = text.length() * 2; // expect: unused-definition
        if (value instanceof List<?> list) {
            for (Object o : list) {
                best = Math.max(best, depth(o));
            }
            return best + 1;
        }
        return best;
    }

    int depthForEver(List<?> value) {
        int n = depthForEver(value); // expect: endless-recursion
        return n + 1;
    }
}
