import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipFile;

/** Opening and closing. */
class Files1 {
    static String firstLine(File file) throws IOException {
        try (BufferedReader in = new BufferedReader(new FileReader(file))) {
            return in.readLine();
        }
    }

    static String firstLineLeaks(File file) throws IOException {
        BufferedReader in = new BufferedReader(new FileReader(file)); // expect: unclosed-resource
        return in.readLine();
    }

    static Properties load(File file) throws IOException {
        Properties p = new Properties();
        InputStream in = new FileInputStream(file); // expect: unclosed-resource
        p.load(in);
        in.close();
        return p;
    }

    static Properties loadRight(File file) throws IOException {
        Properties p = new Properties();
        InputStream in = new FileInputStream(file);
        try {
            p.load(in);
        } finally {
            in.close();
        }
        return p;
    }

    static Properties loadQuiet(File file) {
        Properties p = new Properties();
        InputStream in = null;
        try {
            in = new FileInputStream(file);
            p.load(in);
        } catch (IOException e) {
            System.err.println(e.getMessage());
        } finally {
            closeQuietly(in);
        }
        return p;
    }

    static void closeQuietly(Closeable c) {
        if (c == null) {
            return;
        }
        try {
            c.close();
        } catch (IOException ignored) {
            // nothing can be done
        }
    }

    static void copy(File from, File to) throws IOException {
        try (InputStream in = new FileInputStream(from); OutputStream out = new FileOutputStream(to)) {
            byte[] buffer = new byte[8192];
            int n;
            while ((n = in.read(buffer)) > 0) {
                out.write(buffer, 0, n);
            }
        }
    }

    static void copyLeaks(File from, File to) throws IOException {
        InputStream in = new FileInputStream(from); // expect: unclosed-resource
        OutputStream out = new FileOutputStream(to); // expect: unclosed-resource
        byte[] buffer = new byte[8192];
        int n;
        while ((n = in.read(buffer)) > 0) {
            out.write(buffer, 0, n);
        }
        out.close();
        in.close();
    }

    static void copyNested(File from, File to) throws IOException {
        InputStream in = new FileInputStream(from);
        try {
            OutputStream out = new FileOutputStream(to);
            try {
                out.write(in.read());
            } finally {
                out.close();
            }
        } finally {
            in.close();
        }
    }

    static BufferedReader open(File file) throws IOException {
        return new BufferedReader(new InputStreamReader(new FileInputStream(file), StandardCharsets.UTF_8));
    }

    static int count(File file) throws IOException {
        BufferedReader in = open(file); // expect: unclosed-resource
        int lines = 0;
        while (in.readLine() != null) {
            lines++;
        }
        return lines;
    }

    static int countRight(File file) throws IOException {
        try (BufferedReader in = open(file)) {
            int lines = 0;
            while (in.readLine() != null) {
                lines++;
            }
            return lines;
        }
    }

    static InputStream openGzip(File file) throws IOException {
        InputStream in = new FileInputStream(file); // expect: unclosed-resource
        if (file.getName().endsWith(".gz")) {
            return new GZIPInputStream(in);
        }
        return in;
    }

    static InputStream openGzipRight(File file) throws IOException {
        InputStream in = new FileInputStream(file);
        try {
            return new GZIPInputStream(in);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    static List<String> names(Path folder) throws IOException {
        List<String> all = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
            for (Path path : stream) {
                all.add(path.toString());
            }
        }
        return all;
    }

    static long lines(Path file) throws IOException {
        return Files.lines(file).filter(it -> !it.isEmpty()).count(); // expect: unclosed-resource
    }

    static List<String> linesRight(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(it -> !it.isEmpty()).collect(Collectors.toList());
        }
    }

    static int inMemory(String text) throws IOException {
        BufferedReader in = new BufferedReader(new StringReader(text));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(in.read());
        return out.size();
    }

    static void print(String name, List<String> lines) throws IOException {
        PrintWriter out = new PrintWriter(new FileWriter(name));
        for (String line : lines) {
            out.println(line);
        }
        out.close();
    }

    static boolean has(File file, String entry) throws IOException {
        ZipFile zip = new ZipFile(file); // expect: unclosed-resource
        if (zip.getEntry(entry) == null) {
            return false;
        }
        zip.close();
        return true;
    }

    static void writeAll(File[] files, String text) throws IOException {
        for (File file : files) {
            BufferedWriter out = new BufferedWriter(new FileWriter(file)); // expect: unclosed-resource
            out.write(text);
        }
    }

    static void writeAllRight(File[] files, String text) throws IOException {
        for (File file : files) {
            BufferedWriter out = new BufferedWriter(new FileWriter(file));
            try {
                out.write(text);
            } finally {
                out.close();
            }
        }
    }

    static void replaced(String name) throws IOException {
        InputStream in = new FileInputStream(name); // expect: unclosed-resource
        in = new FileInputStream(name + ".bak");
        in.close();
    }

    static void fromSystem() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println(in.readLine());
    }
}
