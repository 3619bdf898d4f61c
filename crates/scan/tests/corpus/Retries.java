import java.io.*;
import java.net.*;
/** Loops that try again, sockets. */
class Retries {
    private final String host;
    private final int port;
    Retries(String host, int port) { this.host = host; this.port = port; }
    Socket connect(int times) throws IOException {
        IOException last = null;
        for (int i = 0; i < times; i++) {
            try {
                return new Socket(host, port);
            } catch (IOException e) {
                last = e;
            }
        }
        if (last == null) throw new IllegalArgumentException("times");
        throw last;
    }
    Socket connectBadly(int times) throws IOException {
        IOException last = null;
        for (int i = 0; i < times; i++) {
            try {
                return new Socket(host, port);
            } catch (IOException e) {
                last = e;
            }
        }
        throw new IOException(last.getMessage()); // expect: null-dereference
    }
    int ask(int times) throws IOException {
        try (Socket s = connect(times)) {
            s.getOutputStream().write(1);
            return s.getInputStream().read();
        }
    }
    int askBadly(int times) throws IOException {
        Socket s = connect(times); // expect: unclosed-resource
        s.getOutputStream().write(1);
        int c = s.getInputStream().read();
        s.close();
        return c;
    }
    void serve() throws IOException {
        try (ServerSocket all = new ServerSocket(port)) {
            while (true) {
                try (Socket s = all.accept()) {
                    s.getOutputStream().write(0);
                }
            }
        }
    }
    static int until(int n) {
        boolean found = false;
        int i = 0;
        while (!found) { // expect: endless-loop
            i += n;
        }
        return i;
    }
    static int halves(int n) {
        int i = 0;
        while (n > 1) { n /= 2; i++; }
        return i;
    }
}
