import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;

/** Streams with encodings that are known, and others. */
class Charsets {
    PrintStream known(File file) throws IOException {
        FileOutputStream out = new FileOutputStream(file);
        try {
            PrintStream made = new PrintStream(out, true, StandardCharsets.UTF_8.name());
            return made.checkError() ? new PrintStream(out) : made;
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException(e);
        }
    }

    PrintStream given(File file, String encoding) throws IOException {
        FileOutputStream out = new FileOutputStream(file); // expect: unclosed-resource
        try {
            PrintStream made = new PrintStream(out, true, encoding);
            return made.checkError() ? new PrintStream(out) : made;
        } catch (UnsupportedEncodingException e) {
            throw new IllegalStateException(e);
        }
    }
}
