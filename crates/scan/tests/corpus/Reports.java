import java.io.File;
import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Formatter;
import java.util.List;
import java.util.Scanner;
import java.util.stream.Stream;

/** Writes reports. */
public class Reports {
    public void write(File f, List<String> lines) throws IOException {
        try (PrintWriter w = new PrintWriter(new FileWriter(f))) {
            lines.forEach(w::println);
        }
    }

    public void writeLeaks(File f, List<String> lines) throws IOException {
        PrintWriter w = new PrintWriter(f); // expect: unclosed-resource
        for (String l : lines) {
            if (l.startsWith("#")) {
                return;
            }
            w.println(l);
        }
        w.close();
    }

    public String text(List<String> lines) {
        StringWriter s = new StringWriter();
        PrintWriter w = new PrintWriter(s);
        lines.forEach(w::println);
        w.flush();
        return s.toString();
    }

    public int words(String text) {
        Scanner s = new Scanner(text);
        int n = 0;
        while (s.hasNext()) {
            s.next();
            n++;
        }
        return n;
    }

    public int wordsOf(File f) throws IOException {
        Scanner s = new Scanner(f); // expect: unclosed-resource
        int n = 0;
        while (s.hasNext()) {
            s.next();
            n++;
        }
        return n;
    }

    public int entries(Path folder) throws IOException {
        int n = 0;
        try (DirectoryStream<Path> d = Files.newDirectoryStream(folder)) {
            for (Path p : d) {
                n += p.toString().length();
            }
        }
        return n;
    }

    public int entriesLeaks(Path folder) throws IOException {
        int n = 0;
        DirectoryStream<Path> d = Files.newDirectoryStream(folder); // expect: unclosed-resource
        for (Path p : d) {
            n += p.toString().length();
        }
        return n;
    }

    public long bigFiles(Path folder) throws IOException {
        try (Stream<Path> s = Files.walk(folder)) {
            return s.filter(p -> p.toFile().length() > 1000).count();
        }
    }

    public String table(Object[] cells) {
        Formatter f = new Formatter();
        for (Object o : cells) {
            f.format("%s;", o);
        }
        return f.toString();
    }

    public void appendAll(Path p, List<String> lines) throws IOException {
        Writer w = Files.newBufferedWriter(p);
        try {
            for (String l : lines) {
                w.write(l);
            }
        } finally {
            w.close();
        }
        w.flush(); // expect: use-after-close
    }

    public void sorted(List<String> lines) {
        lines.stream().sorted(); // expect: ignored-result
    }

    public String cleaned(String line) {
        line.replace('\t', ' '); // expect: ignored-result
        String s = line.replace('\r', ' ');
        return s;
    }

    public File temporary() throws IOException {
        File t = File.createTempFile("report", ".txt");
        t.deleteOnExit();
        return t;
    }
}
