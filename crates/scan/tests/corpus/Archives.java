import java.io.*;
import java.util.zip.*;
class Archives {
    static void pack(File from, File to) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(to))) {
            add(zip, from, "");
        }
    }
    private static void add(ZipOutputStream zip, File f, String prefix) throws IOException {
        if (f.isDirectory()) {
            File[] all = f.listFiles();
            for (File it : all) add(zip, it, prefix + f.getName() + "/"); // expect: unchecked-null-result
            return;
        }
        zip.putNextEntry(new ZipEntry(prefix + f.getName()));
        FileInputStream in = new FileInputStream(f); // expect: unclosed-resource
        in.transferTo(zip);
        zip.closeEntry();
    }
    static int count(File f) throws IOException {
        ZipFile zip = new ZipFile(f);
        try {
            return zip.size();
        } finally {
            zip.close();
        }
    }
    static long sizeOf(File f, String name) throws IOException {
        try (ZipFile zip = new ZipFile(f)) {
            ZipEntry e = zip.getEntry(name);
            return e.getSize(); // expect: unchecked-null-result
        }
    }
    static String firstLine(File f) throws IOException {
        BufferedReader r = new BufferedReader(new InputStreamReader(new GZIPInputStream(new FileInputStream(f))));
        r.close();
        return r.readLine(); // expect: use-after-close
    }
    static int files(File dir) {
        String[] names = dir.list();
        return names == null ? 0 : names.length;
    }
    static void clean(File dir) {
        File[] all = dir.listFiles((d, n) -> n.endsWith(".tmp"));
        if (all != null) for (File it : all) if (!it.delete()) it.deleteOnExit();
    }
}
