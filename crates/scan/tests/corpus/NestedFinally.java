import java.io.*;
/** Nested try and finally. */
class NestedFinally {
    static void both(File a, File b) throws IOException {
        InputStream in = new FileInputStream(a);
        try {
            OutputStream out = new FileOutputStream(b);
            try {
                int c;
                while ((c = in.read()) >= 0) out.write(c);
            } finally {
                out.close();
            }
        } finally {
            in.close();
        }
    }
    static void outerOnly(File a, File b) throws IOException {
        InputStream in = new FileInputStream(a);
        try {
            OutputStream out = new FileOutputStream(b); // expect: unclosed-resource
            int c;
            while ((c = in.read()) >= 0) out.write(c);
        } finally {
            in.close();
        }
    }
    static int late(File a) throws IOException {
        InputStream in = null;
        try {
            in = new FileInputStream(a);
            return in.read();
        } finally {
            in.close(); // expect: null-dereference
        }
    }
    static int lateSafe(File a) throws IOException {
        InputStream in = null;
        try {
            in = new FileInputStream(a);
            return in.read();
        } finally {
            if (in != null) in.close();
        }
    }
    static int swapped(File a) throws IOException {
        InputStream in = new FileInputStream(a);
        try {
            return in.read();
        } catch (IOException e) {
            in.close();
            return in.read(); // expect: use-after-close
        } finally {
            in.close();
        }
    }
    static String label(String s) {
        String found = null;
        try {
            found = s.trim();
        } finally {
            if (found == null) System.err.println("no label");
        }
        return found;
    }
}
