import java.io.*;
import java.nio.channels.*;
import java.nio.file.*;
import java.util.zip.*;
/** Channels, archives, temporary files. */
class Uploads {
    static long size(Path p) throws IOException {
        try (FileChannel c = FileChannel.open(p)) {
            return c.size();
        }
    }
    static long sizeBadly(Path p) throws IOException {
        FileChannel c = FileChannel.open(p); // expect: unclosed-resource
        return c.size();
    }
    static void unpack(File zip, File to) throws IOException {
        try (ZipFile z = new ZipFile(zip)) {
            ZipEntry e = z.getEntry("data");
            if (e == null) throw new FileNotFoundException("data");
            try (InputStream in = z.getInputStream(e)) {
                Files.copy(in, to.toPath());
            }
        }
    }
    static long unpacked(File zip) throws IOException {
        try (ZipFile z = new ZipFile(zip)) {
            return z.getEntry("data").getSize(); // expect: unchecked-null-result
        }
    }
    static void pack(File from, File to) throws IOException {
        ZipOutputStream out = new ZipOutputStream(new FileOutputStream(to)); // expect: unclosed-resource
        out.putNextEntry(new ZipEntry(from.getName()));
        Files.copy(from.toPath(), out);
        out.closeEntry();
    }
    static void packSafe(File from, File to) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(new FileOutputStream(to))) {
            out.putNextEntry(new ZipEntry(from.getName()));
            Files.copy(from.toPath(), out);
            out.closeEntry();
        }
    }
    static int children(File folder) {
        int n = 0;
        for (File f : folder.listFiles()) n += f.isFile() ? 1 : 0; // expect: unchecked-null-result
        return n;
    }
    static int childrenSafe(File folder) {
        File[] all = folder.listFiles();
        return all == null ? 0 : all.length;
    }
    static boolean clean(File f) {
        f.delete();
        return !f.exists();
    }
}
