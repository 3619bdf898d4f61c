import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** What is begun is ended by the same helpers, whichever object they mean; sockets with two names. */
class Synced {
    interface Turn {
        void beginWrite();

        void endWrite();
    }

    enum Free implements Turn {
        INSTANCE;

        @Override
        public void beginWrite() {}

        @Override
        public void endWrite() {}
    }

    private volatile Turn turn;
    private final List<String> rows = new ArrayList<>();

    void setTurn(Turn turn) {
        this.turn = turn;
    }

    Turn turn() {
        Turn own = turn;
        return own != null ? own : Free.INSTANCE;
    }

    void begin(boolean fast) {
        turn().beginWrite();
        if (fast) {
            rows.clear();
        }
    }

    void end() {
        turn().endWrite();
    }

    void add(String row) {
        add(row, false);
    }

    void add(String row, boolean fast) {
        begin(fast);
        try {
            rows.add(row);
        } finally {
            end();
        }
    }

    int addAtOnce(Turn own, String row) {
        own.beginWrite(); // expect: begin-without-end
        if (row.isEmpty()) {
            return 0;
        }
        rows.add(row);
        own.endWrite();
        return 1;
    }

    interface Sockets {
        Socket create() throws IOException;

        Socket connect(Socket socket) throws IOException;
    }

    private final List<Socket> open = new ArrayList<>();

    /** What is connected is mostly what was made, which is kept already. */
    void connect(Sockets sockets) throws IOException {
        Socket made = sockets.create();
        open.add(made);
        Socket connected = new Direct().connect(made, sockets);
        if (made != connected) {
            open.add(connected);
        }
    }

    void connectAndLose(Sockets sockets) throws IOException {
        Socket made = sockets.create();
        open.add(made);
        Socket connected = new Socket("localhost", 1); // expect: unclosed-resource
        if (made != connected) {
            System.out.println(connected);
        }
    }

    static class Direct {
        Socket connect(Socket socket, Sockets sockets) throws IOException {
            Socket own = socket != null ? socket : new Socket();
            own.connect(new java.net.InetSocketAddress("localhost", 1));
            return own;
        }
    }
}
