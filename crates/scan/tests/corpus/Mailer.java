import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Objects;

/** Sends letters over a socket. */
public class Mailer implements AutoCloseable {
    private final Socket socket;
    private final BufferedWriter out;
    private String greeting;

    public Mailer(String host, int port) throws IOException {
        socket = new Socket(host, port);
        out = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream()));
    }

    public void setGreeting(String greeting) {
        this.greeting = Objects.requireNonNull(greeting);
    }

    public void send(String to, String text) throws IOException {
        Objects.requireNonNull(to, "to");
        out.write("TO " + to);
        out.newLine();
        out.write(text);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        try {
            out.close();
        } finally {
            socket.close();
        }
    }

    public static boolean ping(String host) {
        try (Socket s = new Socket()) {
            s.connect(new InetSocketAddress(host, 25), 1000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    public static boolean pingLeaks(String host) {
        try {
            Socket s = new Socket(host, 25); // expect: unclosed-resource
            return s.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public static void sendOne(String host, String text) throws IOException {
        try (Mailer m = new Mailer(host, 25)) {
            m.send("all", text);
        }
    }

    public static void sendOneLeaks(String host, String text) throws IOException {
        Mailer m = new Mailer(host, 25); // expect: unclosed-resource
        m.send("all", text);
        if (text.length() > 10) {
            m.close();
        }
    }

    public static void lateWrite(OutputStream o) throws IOException {
        PrintWriter w = new PrintWriter(o);
        BufferedWriter b = new BufferedWriter(w);
        b.write("hello");
        b.close();
        b.write("again"); // expect: use-after-close
    }

    public static int nameLength(Socket s) {
        if (s == null || s.isClosed()) {
            String message = s == null ? "none" : s.toString();
            return message.length();
        }
        return s.getInetAddress().getHostName().length();
    }

    public static int portOf(Socket s) {
        if (s == null) {
            System.err.println("no socket");
        }
        return s.getPort(); // expect: null-dereference
    }
}
