import java.io.*;
import java.net.*;
class Telegraph implements Closeable {
    private Socket socket;
    private BufferedReader in;
    private PrintWriter out;
    void connect(String host, int port) throws IOException {
        socket = new Socket(host, port);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        out = new PrintWriter(socket.getOutputStream(), true);
    }
    String ask(String q) throws IOException {
        if (out == null) throw new IllegalStateException("not connected");
        out.println(q);
        return in.readLine();
    }
    int askLength(String q) throws IOException {
        return ask(q).length(); // expect: unchecked-null-result
    }
    String status() throws IOException {
        String line = ask("status");
        if (line == null) return "gone";
        return line.substring(4);
    }
    @Override public void close() throws IOException {
        if (in != null) in.close();
        if (out != null) out.close();
        if (socket != null) socket.close();
    }
    static boolean isUp(String host) {
        try {
            Socket s = new Socket(host, 80); // expect: unclosed-resource
            s.setSoTimeout(100);
            return s.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
    static boolean isUpSafe(String host) {
        try (Socket s = new Socket()) {
            s.connect(new InetSocketAddress(host, 80), 100);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
    static String once(String host) throws IOException {
        Telegraph client = new Telegraph(); // allow: unclosed-resource
        client.connect(host, 99);
        try {
            return client.ask("hello");
        } finally {
            client.close();
        }
    }
}
