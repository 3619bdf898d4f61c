import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.Scanner;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Text with holes. */
public class Template4 {
    private static final Pattern HOLE = Pattern.compile("\\$\\{(\\w+)}");
    private final Map<String, String> values = new HashMap<>();

    public String fill(String text) {
        Matcher m = HOLE.matcher(text);
        StringBuilder b = new StringBuilder();
        int at = 0;
        while (m.find()) {
            b.append(text, at, m.start());
            String v = values.get(m.group(1));
            b.append(v == null ? "" : v.trim());
            at = m.end();
        }
        return b.append(text.substring(at)).toString();
    }

    public String resource(String name) throws IOException {
        InputStream in = Template4.class.getResourceAsStream(name);
        try (Scanner s = new Scanner(in, StandardCharsets.UTF_8)) { // allow: unchecked-null-result
            return s.hasNext() ? s.next() : "";
        }
    }

    public int resourceSize(String name) throws IOException {
        try (InputStream in = Template4.class.getResourceAsStream(name)) {
            return in.available(); // expect: unchecked-null-result
        }
    }

    public String firstLine(File f) throws IOException {
        try (BufferedReader r = new BufferedReader(new FileReader(f))) {
            String line = r.readLine();
            return line != null ? line.trim() : null;
        }
    }

    public String firstLineUpper(File f) throws IOException {
        return firstLine(f).toUpperCase(); // expect: null-dereference
    }

    public int lines(String text) throws IOException {
        BufferedReader r = new BufferedReader(new StringReader(text));
        int n = 0;
        while (r.readLine() != null) {
            n++;
        }
        return n;
    }

    public int linesOf(InputStream in) throws IOException {
        BufferedReader r = new BufferedReader(new InputStreamReader(in));
        int n = 0;
        for (String s = r.readLine(); s != null; s = r.readLine()) {
            n += s.length();
        }
        return n;
    }

    public int longest(File f) throws IOException {
        BufferedReader r = new BufferedReader(new FileReader(f)); // expect: unclosed-resource
        int best = 0;
        String line;
        while ((line = r.readLine()) != null) {
            if (line.startsWith("---")) {
                return best;
            }
            best = Math.max(best, line.length());
        }
        r.close();
        return best;
    }

    public String property(Properties p, String key) {
        String v = p.getProperty(key);
        if (v.isEmpty()) { // expect: unchecked-null-result
            return "none";
        }
        return v;
    }

    public String trimmed(String text) {
        String t = text.trim();
        if (text == null) { // expect: null-check-after-use
            return "";
        }
        return t;
    }

    public boolean set(String key, String value) {
        String old = values.put(key, value);
        return old != null && !old.isEmpty();
    }
}
