import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.nio.channels.SocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;

public class Spool implements Closeable {
    private final Deque<File> files = new ArrayDeque<>();
    private OutputStream current;
    private final File folder;

    public Spool(File folder) {
        this.folder = folder;
    }

    public void begin(String name) throws IOException {
        File f = new File(folder, name);
        current = new FileOutputStream(f);
        files.add(f);
    }

    public void write(byte[] b) throws IOException {
        if (current == null) {
            throw new IOException("not begun");
        }
        current.write(b);
    }

    public void end() throws IOException {
        if (current != null) {
            current.close();
            current = null;
        }
    }

    @Override
    public void close() throws IOException {
        end();
    }

    public static void one(File folder, byte[] b) throws IOException {
        try (Spool s = new Spool(folder)) {
            s.begin("one");
            s.write(b);
        }
    }

    public static void oneLeaks(File folder, byte[] b) throws IOException {
        Spool s = new Spool(folder); // expect: unclosed-resource
        s.begin("one");
        s.write(b);
        if (b.length > 3) {
            s.close();
        }
    }

    public int send(String host) throws IOException {
        DatagramSocket d = new DatagramSocket(); // expect: unclosed-resource
        byte[] b = host.getBytes();
        d.send(new DatagramPacket(b, b.length, new InetSocketAddress(host, 9)));
        d.close();
        return b.length;
    }

    public boolean ping(String host) throws IOException {
        try (SocketChannel c = SocketChannel.open(new InetSocketAddress(host, 9))) {
            return c.isConnected();
        }
    }

    public boolean pingLeaks(String host) throws IOException {
        SocketChannel c = SocketChannel.open(new InetSocketAddress(host, 9)); // expect: unclosed-resource
        return c.isConnected();
    }

    public int head() throws IOException {
        File f = files.peek();
        if (f == null) {
            return -1;
        }
        InputStream in = new FileInputStream(f);
        try {
            return in.read();
        } finally {
            in.close();
        }
    }

    public int headTwice() throws IOException {
        File f = files.peek();
        if (f == null) {
            return -1;
        }
        InputStream in = new FileInputStream(f);
        int n;
        try (in) {
            n = in.read();
        }
        return n + in.read(); // expect: use-after-close
    }

    public byte[] magic(File f) throws IOException {
        byte[] b = new byte[4];
        try (InputStream in = new FileInputStream(f)) {
            if (in.read(b) < 4) {
                return null;
            }
        }
        return b;
    }

    public boolean isZip(File f) throws IOException {
        byte[] m = magic(f);
        return m[0] == 'P' && m[1] == 'K'; // expect: null-dereference
    }

    public boolean isZipRight(File f) throws IOException {
        byte[] m = magic(f);
        return m != null && m[0] == 'P' && m[1] == 'K';
    }

    public File temporary() throws IOException {
        File t = File.createTempFile("spool", ".tmp", folder);
        files.add(t);
        return t;
    }
}
