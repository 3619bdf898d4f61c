import java.io.BufferedReader;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads rows from files. */
public class CsvImporter {
    public List<String[]> read(File file) throws IOException {
        List<String[]> rows = new ArrayList<>();
        try (BufferedReader r = new BufferedReader(new FileReader(file))) {
            String line;
            while ((line = r.readLine()) != null) {
                rows.add(line.split(","));
            }
        }
        return rows;
    }

    public String[] header(File file) throws IOException {
        BufferedReader r = new BufferedReader(new FileReader(file)); // expect: unclosed-resource
        String line = r.readLine();
        if (line == null) {
            return new String[0];
        }
        r.close();
        return line.split(",");
    }

    public String[] headerUnchecked(File file) throws IOException {
        try (BufferedReader r = new BufferedReader(new FileReader(file))) {
            return r.readLine().split(","); // expect: unchecked-null-result
        }
    }

    public long count(Path path) throws IOException {
        return Files.lines(path).filter(l -> !l.isBlank()).count(); // expect: unclosed-resource
    }

    public long countRight(Path path) throws IOException {
        try (Stream<String> lines = Files.lines(path)) {
            return lines.filter(l -> !l.isBlank()).count();
        }
    }

    public Reader open(String name) throws IOException {
        InputStream in = new FileInputStream(name);
        return new InputStreamReader(in, StandardCharsets.UTF_8);
    }

    public int firstChar(String name) throws IOException {
        Reader r = open(name);
        try {
            return r.read();
        } finally {
            closeQuietly(r);
        }
    }

    public int firstCharLeaks(String name) throws IOException {
        Reader r = open(name); // expect: unclosed-resource
        int c = r.read();
        if (c >= 0) {
            closeQuietly(r);
        }
        return c;
    }

    public int afterClose(String name) throws IOException {
        FileReader r = new FileReader(name);
        r.close();
        return r.read(); // expect: use-after-close
    }

    public int total(File folder) throws IOException {
        int n = 0;
        for (File f : folder.listFiles()) { // expect: unchecked-null-result
            n += read(f).size();
        }
        return n;
    }

    public int totalRight(File folder) throws IOException {
        File[] files = folder.listFiles();
        if (files == null) {
            return 0;
        }
        int n = 0;
        for (File f : files) {
            n += read(f).size();
        }
        return n;
    }

    public List<String> names(List<String[]> rows) {
        return rows.stream().filter(r -> r.length > 0).map(r -> r[0]).collect(Collectors.toList());
    }

    private static void closeQuietly(Reader r) {
        if (r != null) {
            try {
                r.close();
            } catch (IOException e) {
                System.err.println(e.getMessage());
            }
        }
    }
}
