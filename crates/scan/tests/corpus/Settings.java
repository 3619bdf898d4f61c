import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where settings are read from. */
class Settings {
    private final Properties properties = new Properties();
    private final Map<String, String> names = new HashMap<>();
    private Reader open;

    void load(File file) throws IOException {
        try (InputStream in = new FileInputStream(file)) {
            properties.load(in);
        }
    }

    void loadBadly(File file) throws IOException {
        InputStream in = new FileInputStream(file); // expect: unclosed-resource
        properties.load(in);
        in.close();
    }

    void loadQuietly(File file) {
        InputStream in = null;
        try {
            in = new FileInputStream(file);
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            closeQuietly(in);
        }
    }

    private static void closeQuietly(java.io.Closeable what) {
        if (what != null) {
            try {
                what.close();
            } catch (IOException ignored) {
                // Nothing can be done.
            }
        }
    }

    void loadUtf8(Path file) throws IOException {
        try (BufferedReader in = new BufferedReader(
                new InputStreamReader(Files.newInputStream(file), StandardCharsets.UTF_8))) {
            properties.load(in);
        }
    }

    String first(File file) throws IOException {
        BufferedReader in = new BufferedReader(new FileReader(file)); // expect: unclosed-resource
        String line = in.readLine();
        if (line == null) {
            return "";
        }
        in.close();
        return line.trim();
    }

    int lengthOfFirst(File file) throws IOException {
        try (BufferedReader in = new BufferedReader(new FileReader(file))) {
            return in.readLine().length(); // expect: unchecked-null-result
        }
    }

    List<String> lines(Path file) throws IOException {
        try (Stream<String> all = Files.lines(file)) {
            return all.map(String::trim).filter(it -> !it.isEmpty()).collect(Collectors.toList());
        }
    }

    long count(Path file) throws IOException {
        return Files.lines(file).filter(it -> !it.isEmpty()).count(); // expect: unclosed-resource
    }

    /** Somebody else closes it. */
    Reader keep(File file) throws IOException {
        open = new FileReader(file);
        return open;
    }

    String home() {
        String home = System.getProperty("app.home");
        return home.trim(); // expect: unchecked-null-result
    }

    String homeOr(String other) {
        return Optional.ofNullable(System.getProperty("app.home")).orElse(other);
    }

    String homeWith() {
        return System.getProperty("app.home", ".").trim();
    }

    int size(File folder) {
        int n = 0;
        for (File file : folder.listFiles()) { // expect: unchecked-null-result
            n += file.length();
        }
        return n;
    }

    int sizeChecked(File folder) {
        File[] files = folder.listFiles();
        if (files == null) {
            return 0;
        }
        return files.length;
    }

    String name(String key) {
        String name = names.get(key);
        if (name == null) {
            name = key.toLowerCase();
            names.put(key, name);
        }
        return name.trim();
    }
}
