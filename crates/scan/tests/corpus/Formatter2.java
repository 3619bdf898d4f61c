import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Function;

public class Formatter2 {
    private Locale locale;
    private String prefix = "";
    private static final int WIDTH = 80;

    public Formatter2 withLocale(Locale l) {
        this.locale = l;
        return this;
    }

    public String date(LocalDate d) {
        if (d == null) {
            return "";
        }
        return d.getYear() + "-" + d.getMonthValue();
    }

    public LocalDateTime end(LocalDateTime t) {
        t.plusHours(1).withMinute(0); // expect: ignored-result
        return t;
    }

    public String upper(String s) {
        return locale == null ? s.toUpperCase() : s.toUpperCase(locale);
    }

    public String lines(List<String> all) {
        StringJoiner j = new StringJoiner("\n");
        for (String s : all) {
            if (s == null) {
                continue;
            }
            j.add(s.trim());
        }
        return j.toString();
    }

    public String longest(List<String> all) {
        String best = null;
        for (String s : all) {
            if (best == null || s.length() > best.length()) {
                best = s;
            }
        }
        if (best == null) {
            return "";
        }
        return best;
    }

    public int longestLength(List<String> all) {
        String best = null;
        for (String s : all) {
            if (best == null || s.length() > best.length()) {
                best = s;
            }
        }
        return best.length(); // expect: null-dereference
    }

    public String apply(String s, Function<String, String> f) {
        String r = f.apply(s);
        return Optional.ofNullable(r).orElse(s);
    }

    public String wrap(String s) {
        StringBuilder b = new StringBuilder();
        int at = 0;
        while (s.length() - at > WIDTH) {
            b.append(s, at, at + WIDTH).append('\n');
            at += WIDTH;
        }
        return b.append(s.substring(at)).toString();
    }

    public String wrapWrong(String s) {
        StringBuilder b = new StringBuilder();
        int at = 0;
        while (s.length() - at > WIDTH) { // expect: endless-loop
            b.append(s, at, at + WIDTH).append('\n');
        }
        return b.toString();
    }

    public String pad(String s, int n) {
        if (n <= 0) {
            return s;
        }
        String p = " ".repeat(n);
        if (n < 1) { // expect: decided-branch
            p = "";
        }
        return p + s;
    }

    public String nested(String s, int depth) {
        if (depth == 0) {
            return s;
        }
        return "(" + nested(s, depth - 1) + ")";
    }

    public String nestedWrong(String s, int depth) {
        String t = "(" + s + ")";
        return nestedWrong(t, depth - 1); // expect: endless-recursion
    }

    public boolean same(Formatter2 o) {
        boolean b = o.prefix.equals(prefix);
        if (o != null && o.locale == locale) { // expect: null-check-after-use
            return b;
        }
        return false;
    }
}
