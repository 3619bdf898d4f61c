import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;

/** Settings with defaults. */
public class Config9 {
    private final Properties own = new Properties();
    private final Map<String, String> extra = new HashMap<>();
    private final Config9 parent;
    private File file;

    public Config9(Config9 parent) {
        this.parent = parent;
    }

    public static Config9 load(File f) {
        Config9 c = new Config9(null);
        try (Reader r = new FileReader(f)) {
            c.own.load(r);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        c.file = f;
        return c;
    }

    public static Config9 loadLeaks(File f) throws IOException {
        Config9 c = new Config9(null);
        Reader r = new FileReader(f); // expect: unclosed-resource
        c.own.load(r);
        return c;
    }

    public String get(String key) {
        String v = own.getProperty(key);
        if (v == null && parent != null) {
            v = parent.get(key);
        }
        return v;
    }

    public String get(String key, String other) {
        String v = get(key);
        return v != null ? v : other;
    }

    public int number(String key) {
        String v = own.getProperty(key);
        if (v == null) {
            throw new IllegalArgumentException("no " + key);
        }
        return Integer.parseInt(v.trim());
    }

    public int numberWrong(String key) {
        return Integer.parseInt(own.getProperty(key).trim()); // expect: unchecked-null-result
    }

    public Optional<String> optional(String key) {
        return Optional.ofNullable(own.getProperty(key)).map(String::trim);
    }

    public boolean flag(String key) {
        String v = Objects.requireNonNullElse(own.getProperty(key), "false");
        return v.equals("true");
    }

    public String home() {
        String h = System.getenv("HOME");
        if (h == null) {
            h = System.getProperty("user.home");
        }
        return h.trim();
    }

    public String editor() {
        String e = System.getenv("EDITOR");
        String lower = e.toLowerCase(Locale.ROOT); // expect: unchecked-null-result
        return lower;
    }

    public String folder() {
        if (file == null) {
            return ".";
        }
        String p = file.getParent();
        return p == null ? "." : p;
    }

    public int folderLength() {
        return file.getParent().length(); // expect: unchecked-null-result
    }

    public String title(String name) {
        String n = name;
        if (n != null) {
            n.trim(); // expect: ignored-result
        }
        return n;
    }

    public void put(String key, String value) {
        Objects.requireNonNull(key);
        if (value == null) {
            extra.remove(key);
        } else {
            extra.put(key, value.trim());
        }
    }

    public int lengthOf(String value) {
        if (value == null) {
            System.out.println("no value");
        }
        int n = value.length(); // expect: null-dereference
        return n;
    }

    public boolean isRoot() {
        boolean root = parent == null;
        if (root && parent != null) { // allow: decided-branch
            return false;
        }
        return root;
    }
}
