import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Who closes what: fields, builders, collections, callees. */
class Owners implements Closeable {
    private final InputStream in;
    private OutputStream log;
    private final Map<String, RandomAccessFile> open = new HashMap<>();
    private final Deque<InputStream> stack = new ArrayDeque<>();

    Owners(File file) throws IOException {
        this.in = new FileInputStream(file);
    }

    Owners logTo(File file) throws IOException {
        this.log = new FileOutputStream(file);
        return this;
    }

    static Owners make(File file) throws IOException {
        return new Owners(file).logTo(new File(file.getPath() + ".log")); // expect: unclosed-resource
    }

    RandomAccessFile file(String name) throws IOException {
        RandomAccessFile known = open.get(name);
        if (known == null) {
            known = new RandomAccessFile(name, "r");
            open.put(name, known);
        }
        return known;
    }

    void push(String name) throws IOException {
        InputStream next = new FileInputStream(name);
        stack.push(next);
    }

    @Override
    public void close() throws IOException {
        in.close();
        if (log != null) {
            log.close();
        }
    }

    static final class Frame implements AutoCloseable {
        private final InputStream source;
        private final int size;

        Frame(InputStream source, int size) {
            this.source = source;
            this.size = size;
        }

        int size() {
            return size;
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
    }

    static Frame frame(String name) throws IOException {
        return new Frame(new FileInputStream(name), 7);
    }

    static int useFrame(String name) throws IOException {
        try (Frame frame = frame(name)) {
            return frame.size();
        }
    }

    static int size(InputStream in) throws IOException {
        int n = 0;
        while (in.read() >= 0) {
            n++;
        }
        return n;
    }

    static int passedToReader(String name) throws IOException {
        return size(new FileInputStream(name)); // expect: unclosed-resource
    }

    static int consume(InputStream in) throws IOException {
        try {
            return in.read();
        } finally {
            in.close();
        }
    }

    static int passedToOwner(String name) throws IOException {
        return consume(new FileInputStream(name));
    }

    static void serve(int port, Handler handler) throws IOException {
        try (ServerSocket server = new ServerSocket(port)) {
            while (handler.more()) {
                Socket socket = server.accept();
                handler.handle(socket);
            }
        }
    }

    interface Handler {
        boolean more();

        void handle(Socket socket) throws IOException;
    }

    static int answer(String host) throws IOException {
        Socket socket = new Socket(host, 80); // expect: unclosed-resource
        OutputStream out = socket.getOutputStream();
        out.write(1);
        int answer = socket.getInputStream().read();
        out.close();
        return answer;
    }

    static int answerRight(String host) throws IOException {
        Socket socket = new Socket(host, 80);
        try {
            socket.getOutputStream().write(1);
            return socket.getInputStream().read();
        } finally {
            socket.close();
        }
    }

    static int conditional(String name, boolean really) throws IOException {
        InputStream in = really ? new FileInputStream(name) : null;
        try {
            return in == null ? -1 : in.read();
        } finally {
            if (in != null) {
                in.close();
            }
        }
    }

    static InputStream first(String[] names) {
        for (String name : names) {
            try {
                return new FileInputStream(name);
            } catch (IOException e) {
                continue;
            }
        }
        return null;
    }

    static boolean lockFile(File file) throws IOException {
        RandomAccessFile raf = new RandomAccessFile(file, "rw"); // expect: unclosed-resource
        if (raf.length() == 0) {
            raf.writeInt(1);
            return true;
        }
        raf.close();
        return false;
    }
}
