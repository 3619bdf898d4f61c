import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import java.util.logging.Logger;

/** Packs folders. */
public class Backup {
    private static final Logger LOG = Logger.getLogger(Backup.class.getName());
    private static final boolean DEBUG = Boolean.getBoolean("backup.debug");

    public void pack(File folder, File target) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(target))) {
            pack(folder, "", zip);
        }
    }

    private void pack(File f, String prefix, ZipOutputStream zip) throws IOException {
        if (f.isDirectory()) {
            File[] files = f.listFiles();
            if (files != null) {
                for (File g : files) {
                    pack(g, prefix + f.getName() + "/", zip);
                }
            }
        } else {
            zip.putNextEntry(new ZipEntry(prefix + f.getName()));
            zip.closeEntry();
        }
    }

    public void packWrong(File folder, File target) throws IOException {
        ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(target)); // expect: unclosed-resource
        for (String name : folder.list()) { // expect: unchecked-null-result
            zip.putNextEntry(new ZipEntry(name));
            zip.closeEntry();
        }
        zip.close();
    }

    public File temporary() throws IOException {
        File t = File.createTempFile("backup", ".zip"); // expect: temporary-file
        if (t.length() > 0) {
            LOG.info("strange");
        }
        return null;
    }

    public void inTemporary() throws IOException {
        File t = File.createTempFile("backup", ".zip");
        try {
            pack(new File("."), t);
        } finally {
            if (!t.delete()) {
                LOG.warning("left " + t);
            }
        }
    }

    public int sizeOf(File[] files) {
        int n = 0;
        int largest = 0;
        for (File f : files) {
            n += f.length();
            if (f.length() > largest) {
                largest = (int) f.length();
            }
        }
        LOG.info("largest " + largest);
        return n;
    }

    public int level(String s) {
        int level;
        try {
            level = Integer.parseInt(s);
        } catch (NumberFormatException e) {
            level = 0;
        }
        if (DEBUG) {
            LOG.info("level " + level);
        }
        return level;
    }

    public void writeTwice(File a) throws IOException {
        OutputStream o = new FileOutputStream(a);
        try {
            o.write(1);
        } finally {
            o.close();
        }
        o.flush(); // expect: use-after-close
    }

    public void mkdir(File f) {
        if (!f.mkdirs()) {
            LOG.warning("not made: " + f);
        }
    }
}
