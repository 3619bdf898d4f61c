import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;

/** Sockets: who closes them. */
class Links {
    private final ExecutorService pool;
    private volatile boolean stopped;

    Links(ExecutorService pool) {
        this.pool = pool;
    }

    void serve(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(port)) {
            while (!stopped) {
                Socket socket = server.accept();
                pool.submit(() -> handle(socket));
            }
        }
    }

    private void handle(Socket socket) {
        try (Socket own = socket;
                BufferedReader in = new BufferedReader(
                        new InputStreamReader(own.getInputStream(), StandardCharsets.UTF_8));
                PrintWriter out = new PrintWriter(own.getOutputStream(), true)) {
            String line;
            while ((line = in.readLine()) != null) {
                out.println(line.toUpperCase());
            }
        } catch (IOException e) {
            System.err.println(e);
        }
    }

    String ask(String host, int port, String what) throws IOException {
        Socket socket = new Socket(host, port); // expect: unclosed-resource
        OutputStream out = socket.getOutputStream();
        out.write(what.getBytes(StandardCharsets.UTF_8));
        InputStream in = socket.getInputStream();
        byte[] answer = new byte[64];
        int n = in.read(answer);
        socket.close();
        return n < 0 ? "" : new String(answer, 0, n, StandardCharsets.UTF_8);
    }

    String askSafely(String host, int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), 1000);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
            return in.readLine();
        } finally {
            socket.close();
        }
    }

    Socket connect(String host, int port) throws IOException {
        Socket socket = new Socket(host, port);
        boolean ok = false;
        try {
            socket.setSoTimeout(1000);
            ok = true;
            return socket;
        } finally {
            if (!ok) {
                socket.close();
            }
        }
    }

    Socket connectBadly(String host, int port) throws IOException {
        Socket socket = new Socket(host, port); // expect: unclosed-resource
        InputStream in = socket.getInputStream();
        if (in.read() != 'H') {
            return null;
        }
        return socket;
    }

    Socket retry(String host, int port, int times) throws IOException {
        IOException last = null;
        for (int i = 0; i < times; i++) {
            try {
                return new Socket(host, port);
            } catch (IOException e) {
                last = e;
            }
        }
        if (last == null) {
            throw new IllegalArgumentException("times");
        }
        throw last;
    }

    void once(int port) throws IOException {
        ServerSocket server = new ServerSocket(port);
        try {
            Socket socket = server.accept(); // expect: unclosed-resource
            socket.getOutputStream().write(1);
        } finally {
            server.close();
        }
    }

    int late(String host) throws IOException {
        Socket socket = new Socket(host, 80); // expect: unclosed-resource
        InputStream in = socket.getInputStream();
        try {
            in.skip(10); // expect: ignored-result
        } finally {
            socket.close();
        }
        return in.read(); // expect: use-after-close
    }
}
