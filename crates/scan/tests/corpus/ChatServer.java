import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** A server that answers lines. */
public class ChatServer implements Runnable {
    private final ServerSocket server;
    private final List<Socket> clients = new ArrayList<>();
    private volatile boolean running = true;

    public ChatServer(int port) throws IOException {
        server = new ServerSocket(port);
    }

    @Override
    public void run() {
        while (running) {
            try {
                Socket s = server.accept();
                clients.add(s);
                handle(s);
            } catch (IOException e) {
                running = false;
            }
        }
    }

    private void handle(Socket s) throws IOException {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
             PrintWriter out = new PrintWriter(s.getOutputStream(), true)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.println(line.trim());
            }
        }
    }

    public void acceptOne() throws IOException {
        Socket s = server.accept(); // expect: unclosed-resource
        BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
        String line = in.readLine();
        if (line == null) {
            return;
        }
        System.out.println(line);
        s.close();
    }

    public String ask(String host, String question) throws IOException {
        try (Socket s = new Socket(host, server.getLocalPort())) {
            PrintWriter out = new PrintWriter(s.getOutputStream(), true);
            out.println(question);
            BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream()));
            String answer = in.readLine();
            return answer.trim(); // expect: unchecked-null-result
        }
    }

    public static void serveForEver(ServerSocket ss) throws IOException {
        while (true) {
            try (Socket s = ss.accept()) {
                s.getOutputStream().write(1);
            }
        }
    }

    public int freePort() throws IOException {
        ServerSocket probe = new ServerSocket(0);
        int port = probe.getLocalPort();
        probe.close();
        return port;
    }

    public int freePortLeaks() throws IOException {
        ServerSocket probe = new ServerSocket(0); // expect: unclosed-resource
        return probe.getLocalPort();
    }

    public void stop() throws IOException {
        running = false;
        for (Socket s : clients) {
            s.close();
        }
        server.close();
    }

    void greet(Socket s) throws IOException {
        PrintWriter w = new PrintWriter(s.getOutputStream());
        try {
            w.println("hello");
        } finally {
            w.flush();
        }
    }
}
