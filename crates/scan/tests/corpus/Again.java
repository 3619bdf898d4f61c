import java.io.*;
/** Tests that stand more than once: nothing is wrong here. */
class Again {
    private boolean requires(String s) {
        char[] ca = s.toCharArray();
        int i = ca.length - 1;
        while (i > 0 && ca[i] == '\\') { i--; }
        int tb = ca.length - i - 1;
        return tb % 2 == 1;
    }
    int lines(BufferedReader br) throws IOException {
        int n = 0;
        boolean continuation = false, comment = false;
        String s = br.readLine();
        while (s != null) {
            if (continuation) { s = "\n" + s; } else { comment = s.matches("^(#|!).*"); }
            if (!comment) {
                continuation = requires(s);
            }
            if (!continuation) {
                n++;
            }
            s = br.readLine();
        }
        return n;
    }
    private int skip(InputStream in, byte[] b) throws IOException {
        int read = 4;
        while (read == 4 && b[0] == 3) {
            read = in.read(b);
        }
        return read;
    }
    boolean sign(InputStream in, boolean firstFrame) throws IOException {
        byte[] b = new byte[4];
        int read = in.read(b);
        if (0 == read && !firstFrame) { return false; }
        if (4 != read) { throw new IOException("x"); }
        read = skip(in, b);
        if (0 == read && !firstFrame) { return false; }
        return true;
    }
}

/** Lengths that are asked for more than once, not in the same words. */
class Lengths {
    int first(String[] words) {
        String word = words.length > 0 ? words[0].trim() : null;
        if (words.length == 0) {
            return 0;
        }
        return word.length();
    }

    int last(String text) {
        String word = null;
        if (text.length() != 0) {
            word = text.trim();
        }
        System.out.println(text);
        return text.length() <= 0 ? 0 : word.length();
    }

    int wrong(String[] words) {
        String word = words.length > 0 ? words[0].trim() : null;
        if (words.length != 0) {
            return 0;
        }
        return word.length(); // expect: null-dereference
    }
}
