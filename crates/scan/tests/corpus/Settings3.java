import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Properties;

/** Settings of a program, from files and the system. */
public class Settings3 {
    private final Properties all = new Properties();
    private boolean loaded;

    public void load(File file) throws IOException {
        try (InputStream in = new FileInputStream(file)) {
            all.load(in);
            loaded = true;
        }
    }

    public void loadLeaks(String name) throws IOException {
        all.load(new FileInputStream(name)); // expect: unclosed-resource
    }

    public void store(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        try {
            all.store(out, "settings");
        } finally {
            out.close();
        }
    }

    public void storeLeaks(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file); // expect: unclosed-resource
        all.store(out, "settings");
        out.close();
    }

    public int number(String key) {
        String s = all.getProperty(key);
        return Integer.parseInt(s.trim()); // expect: unchecked-null-result
    }

    public int number(String key, int other) {
        String s = all.getProperty(key);
        if (s == null || s.isEmpty()) {
            return other;
        }
        return Integer.parseInt(s.trim());
    }

    public String text(String key) {
        return all.getProperty(key, "").trim();
    }

    public String home() {
        String home = System.getenv("APP_HOME");
        return home.toLowerCase(Locale.ROOT); // expect: unchecked-null-result
    }

    public String tempFolder() {
        return System.getProperty("java.io.tmpdir").toLowerCase(Locale.ROOT);
    }

    public boolean isDebug() {
        String debug = System.getProperty("app.debug");
        return debug != null && debug.equals("true");
    }

    public String defaults() throws IOException {
        InputStream in = Settings3.class.getResourceAsStream("/defaults.txt");
        if (in == null) {
            return "";
        }
        try (in) {
            return new String(in.readAllBytes());
        }
    }

    public String title(String name) {
        name.toUpperCase(Locale.ROOT); // expect: ignored-result
        return name;
    }

    public String stage() {
        int level = 3;
        if (level > 5) { // expect: decided-branch
            return "high";
        }
        return "low";
    }

    public String parentName(File file) {
        File parent = file.getParentFile();
        return parent.getName(); // expect: unchecked-null-result
    }

    public String parentNameRight(File file) {
        File parent = file.getAbsoluteFile().getParentFile();
        return parent == null ? "/" : parent.getName();
    }

    boolean isLoaded() {
        return loaded;
    }
}
