import java.io.*;
import java.util.zip.*;
/** Several resources at once. */
class Copying {
    void copyOk(File a, File b) throws IOException {
        try (InputStream in = new FileInputStream(a); OutputStream out = new FileOutputStream(b)) {
            byte[] buf = new byte[100]; int n;
            while ((n = in.read(buf)) > 0) out.write(buf, 0, n);
        }
    }
    void copyBad(File a, File b) throws IOException {
        InputStream in = new FileInputStream(a); // expect: unclosed-resource
        try (OutputStream out = new FileOutputStream(b)) {
            out.write(in.read());
        }
    }
    void copyOld(File a, File b) throws IOException {
        InputStream in = null; OutputStream out = null;
        try {
            in = new FileInputStream(a);
            out = new FileOutputStream(b);
            out.write(in.read());
        } finally {
            if (in != null) try { in.close(); } catch (IOException e) { }
            if (out != null) out.close();
        }
    }
    void secondFails(File a, File b) throws IOException {
        FileInputStream in = new FileInputStream(a); // expect: unclosed-resource
        FileOutputStream out = new FileOutputStream(b); // expect: unclosed-resource
        out.write(in.read());
        in.close();
        out.close();
    }
    int wrapped(File f) throws IOException {
        try (DataInputStream d = new DataInputStream(new BufferedInputStream(new FileInputStream(f)))) {
            return d.readInt();
        }
    }
    int wrappedBad(File f) throws IOException {
        DataInputStream d = new DataInputStream(new BufferedInputStream(new FileInputStream(f))); // expect: unclosed-resource
        return d.readInt();
    }
    int zipped(File f, String name) throws IOException {
        try (ZipFile z = new ZipFile(f)) {
            ZipEntry e = z.getEntry(name);
            if (e == null) return -1;
            try (InputStream in = z.getInputStream(e)) { return in.read(); }
        }
    }
    int zippedBad(File f, String name) throws IOException {
        try (ZipFile z = new ZipFile(f)) {
            return (int) z.getEntry(name).getSize(); // expect: unchecked-null-result
        }
    }
    void writeAfter(File f) throws IOException {
        Writer w = new FileWriter(f);
        try { w.write("a"); } finally { w.close(); }
        w.write("b"); // expect: use-after-close
    }
    void writeInOrder(File f, boolean again) throws IOException {
        Writer w = new FileWriter(f);
        try { w.write("a"); } finally { w.close(); }
        if (again) { w = new FileWriter(f, true); try { w.write("b"); } finally { w.close(); } }
    }
    String read(Reader given) throws IOException {
        BufferedReader r = new BufferedReader(given);
        String s = r.readLine();
        return s == null ? "" : s;
    }
    void memory() throws IOException {
        ByteArrayOutputStream o = new ByteArrayOutputStream();
        o.write(3);
        PrintStream p = new PrintStream(o);
        p.println("x");
        System.out.println(o.size());
    }
}
