import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.URLConnection;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Brings files from elsewhere. */
public class Downloader {
    private final Path folder;
    private int retries = 2;

    public Downloader(Path folder) {
        this.folder = folder;
    }

    public Path get(URI uri, String name) throws IOException {
        Path target = folder.resolve(name);
        try (InputStream in = uri.toURL().openStream()) {
            Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
        }
        return target;
    }

    public long size(URI uri) throws IOException {
        InputStream in = uri.toURL().openStream(); // expect: unclosed-resource
        long n = 0;
        while (in.read() >= 0) {
            n++;
        }
        return n;
    }

    public void save(InputStream in, File file) throws IOException {
        OutputStream out = new FileOutputStream(file);
        try {
            byte[] b = new byte[4096];
            int n;
            while ((n = in.read(b)) != -1) {
                out.write(b, 0, n);
            }
        } finally {
            out.close();
        }
    }

    public void saveLeaks(InputStream in, File file) throws IOException {
        OutputStream out = new FileOutputStream(file); // expect: unclosed-resource
        in.transferTo(out);
        out.close();
    }

    public void channel(URI uri, Path target) throws IOException {
        try (ReadableByteChannel from = Channels.newChannel(uri.toURL().openStream());
             FileChannel to = FileChannel.open(target)) {
            to.transferFrom(from, 0, Long.MAX_VALUE);
        }
    }

    public Path retry(URI uri, String name) throws IOException {
        IOException failure = null;
        int tries = 0;
        while (tries < retries) {
            try {
                return get(uri, name);
            } catch (IOException e) {
                failure = e;
                tries++;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return null;
    }

    public Path retryForEver(URI uri, String name) {
        int tries = 0;
        Path found = null;
        while (tries < 3) { // expect: endless-loop
            found = folder.resolve(name);
            System.out.println(found);
        }
        return found;
    }

    public byte[] header(InputStream in) throws IOException {
        byte[] b = new byte[8];
        in.read(b, 0, 8); // expect: ignored-result
        return b;
    }

    public byte[] headerRight(InputStream in) throws IOException {
        byte[] b = new byte[8];
        int n = in.readNBytes(b, 0, 8);
        if (n < 8) {
            throw new IOException("short");
        }
        return b;
    }

    public String typeOf(URLConnection c) {
        String type = c.getContentType();
        return type == null ? "unknown" : type.trim();
    }

    public Path move(Path from) throws IOException {
        Path parent = from.getParent();
        from.resolve("x"); // expect: ignored-result
        return parent.resolve(from.getFileName()); // expect: unchecked-null-result
    }
}
