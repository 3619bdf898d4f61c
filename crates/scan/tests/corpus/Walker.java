import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** Goes through folders. */
public class Walker {
    private final List<File> found = new ArrayList<>();
    private int depth;

    public void walk(File f) {
        if (f.isFile()) {
            found.add(f);
            return;
        }
        File[] files = f.listFiles();
        if (files == null) {
            return;
        }
        depth++;
        for (File g : files) {
            walk(g);
        }
        depth--;
    }

    public void walkForEver(File f) {
        found.add(f);
        walkForEver(f.getAbsoluteFile()); // expect: endless-recursion
    }

    public int names(File folder) {
        int n = 0;
        for (String s : folder.list()) { // expect: unchecked-null-result
            n += s.length();
        }
        return n;
    }

    public List<Path> all(Path root) throws IOException {
        try (Stream<Path> s = Files.walk(root)) {
            return s.filter(Files::isRegularFile).toList();
        }
    }

    public long count(Path root) throws IOException {
        Stream<Path> s = Files.list(root); // expect: unclosed-resource
        return s.count();
    }

    public File newest() {
        File best = null;
        for (File f : found) {
            if (best == null || f.lastModified() > best.lastModified()) {
                best = f;
            }
        }
        return best;
    }

    public long newestTime() {
        return newest().lastModified(); // expect: null-dereference
    }

    public long newestTimeRight() {
        File f = newest();
        return f == null ? -1 : f.lastModified();
    }

    public List<File> view() {
        Collections.unmodifiableList(found); // expect: ignored-result
        return found;
    }

    public File firstTwo(Deque<File> work) {
        Iterator<File> i = work.iterator();
        File a = i.hasNext() ? i.next() : null;
        File b = i.hasNext() ? i.next() : null;
        return b == null ? a : b;
    }

    public File skipOne() {
        Iterator<File> i = found.iterator();
        while (i.hasNext()) {
            File f = i.next();
            if (f.isHidden()) {
                return i.next(); // expect: iterator-without-hasnext
            }
        }
        return null;
    }

    public void breadth(File root) {
        Deque<File> work = new ArrayDeque<>();
        work.add(root);
        while (!work.isEmpty()) {
            File f = work.poll();
            File[] files = f.listFiles();
            if (files != null) {
                Collections.addAll(work, files);
            }
        }
    }

    public boolean isDeep() {
        boolean deep = depth > 10;
        if (deep && depth < 5) { // expect: decided-branch
            return false;
        }
        return deep;
    }

    public void replace(File a, File b) throws IOException {
        if (!a.renameTo(b)) {
            throw new IOException("not renamed");
        }
    }

    public File temporary() throws IOException {
        File t = File.createTempFile("walk", null); // expect: temporary-file
        System.out.println(t.length());
        return null;
    }
}
