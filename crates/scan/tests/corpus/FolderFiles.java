import java.io.*;
import java.nio.file.*;
import java.util.*;
class FolderFiles {
    private final Path root;
    FolderFiles(Path root) { this.root = root; }
    private InputStream open(String name) throws IOException {
        return new BufferedInputStream(Files.newInputStream(root.resolve(name)));
    }
    int first(String name) throws IOException {
        InputStream in = open(name); // expect: unclosed-resource
        int b = in.read();
        if (b < 0) {
            return -1;
        }
        in.close();
        return b;
    }
    int firstSafe(String name) throws IOException {
        try (InputStream in = open(name)) {
            return in.read();
        }
    }
    Properties load(String name) throws IOException {
        Properties all = new Properties();
        try (InputStream in = open(name); Reader r = new InputStreamReader(in)) {
            all.load(r);
        }
        return all;
    }
    void copy(String a, String b) throws IOException {
        InputStream in = open(a);
        try {
            OutputStream out = new FileOutputStream(b);
            try {
                byte[] buffer = new byte[4096];
                int n;
                while ((n = in.read(buffer)) > 0) out.write(buffer, 0, n);
            } finally {
                out.close();
            }
        } finally {
            in.close();
        }
    }
    List<String> names(String file) throws IOException {
        BufferedReader r = new BufferedReader(new FileReader(file)); // expect: unclosed-resource
        List<String> all = new ArrayList<>();
        String line;
        while ((line = r.readLine()) != null) {
            if (line.isEmpty()) continue;
            all.add(line.trim());
        }
        return all;
    }
}
