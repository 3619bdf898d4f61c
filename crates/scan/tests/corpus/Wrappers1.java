import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileOutputStream;
import java.io.FileWriter;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Scanner;
import java.util.stream.Stream;

/** Writers and what stands for them. */
class Wrappers1 {
    private static Writer utf8(File file) throws IOException {
        return new OutputStreamWriter(new FileOutputStream(file), "UTF-8");
    }

    void helper(File file, String text) throws IOException {
        try (Writer out = utf8(file)) {
            out.write(text);
        }
    }

    void helperBadly(File file, String text) throws IOException {
        Writer out = utf8(file); // expect: unclosed-resource
        out.write(text);
        out.close();
    }

    void inner(File file, String text) throws IOException {
        FileWriter raw = new FileWriter(file);
        try {
            BufferedWriter out = new BufferedWriter(raw);
            out.write(text);
            out.flush();
        } finally {
            raw.close();
        }
    }

    void object(File file, Object what) throws IOException {
        ObjectOutputStream out = null;
        try {
            out = new ObjectOutputStream(new BufferedOutputStream(new FileOutputStream(file)));
            out.writeObject(what);
        } finally {
            if (out != null) {
                out.close();
            }
        }
    }

    int numbers(File file) throws IOException {
        Scanner scanner = new Scanner(file);
        int sum = 0;
        while (scanner.hasNextInt()) {
            sum += scanner.nextInt();
        }
        scanner.close();
        return sum;
    }

    int numbersBadly(File file) throws IOException {
        Scanner scanner = new Scanner(file); // expect: unclosed-resource
        if (!scanner.hasNextInt()) {
            return -1;
        }
        int n = scanner.nextInt();
        scanner.close();
        return n;
    }

    int input() {
        Scanner scanner = new Scanner(System.in);
        return scanner.nextInt();
    }

    void print(File file) throws IOException {
        PrintStream out = new PrintStream(file);
        out.println("a");
        out.close();
    }

    int children(Path folder) throws IOException {
        int n = 0;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path it : all) {
                n += it.getNameCount();
            }
        }
        return n;
    }

    boolean any(Path folder) throws IOException {
        Stream<Path> all = Files.list(folder); // expect: unclosed-resource
        return all.findAny().isPresent();
    }

    long position(Path file) throws IOException {
        FileChannel c = FileChannel.open(file, StandardOpenOption.READ);
        try {
            return c.size();
        } finally {
            c.close();
        }
    }

    void either(File file, boolean append) throws IOException {
        OutputStream out;
        if (append) {
            out = new FileOutputStream(file, true);
        } else {
            out = new FileOutputStream(file);
        }
        try {
            out.write(1);
        } finally {
            out.close();
        }
    }

    void reassigned(File a, File b) throws IOException {
        OutputStream out = new FileOutputStream(a); // expect: unclosed-resource
        out = new FileOutputStream(b);
        try {
            out.write(1);
        } finally {
            out.close();
        }
    }

    void standard(File file) throws IOException {
        OutputStream out = file == null ? System.out : new FileOutputStream(file);
        try {
            out.write(1);
        } finally {
            if (out != System.out) {
                out.close();
            }
        }
    }

    String parent(Path file) {
        return file.getParent().toString(); // expect: unchecked-null-result
    }

    String resource() {
        return getClass().getResource("a.txt").toString(); // expect: unchecked-null-result
    }
}
