import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** A store as applications have it. */
class Store {
    interface Mapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    interface Sources {
        Connection open() throws SQLException;
    }

    private final ReentrantLock lock = new ReentrantLock(true);
    private final Sources sources;
    private RandomAccessFile file;
    private FileLock held;

    Store(Sources sources) {
        this.sources = sources;
    }

    <T> Optional<T> one(String sql, Mapper<T> mapper, Object... values) throws SQLException {
        try (Connection c = sources.open(); PreparedStatement p = c.prepareStatement(sql)) {
            int at = 1;
            for (Object it : values) {
                p.setObject(at++, it);
            }
            try (ResultSet rows = p.executeQuery()) {
                return rows.next() ? Optional.ofNullable(mapper.map(rows)) : Optional.empty();
            }
        }
    }

    <T> List<T> all(Connection c, String sql, Mapper<T> mapper) throws SQLException {
        List<T> found = new ArrayList<>();
        PreparedStatement p = c.prepareStatement(sql); // expect: unclosed-resource
        ResultSet rows = p.executeQuery(); // allow: unclosed-resource
        while (rows.next()) {
            found.add(mapper.map(rows));
        }
        return found;
    }

    /** The rows are closed with the statement. */
    int count(Connection c) throws SQLException {
        PreparedStatement p = c.prepareStatement("select count(*) from a");
        try {
            ResultSet rows = p.executeQuery();
            rows.next();
            return rows.getInt(1);
        } finally {
            p.close();
        }
    }

    void open(File where) throws IOException {
        lock.lock();
        try {
            if (file != null) {
                return;
            }
            file = new RandomAccessFile(where, "rw");
            held = file.getChannel().tryLock();
            if (held == null) {
                file.close();
                file = null;
                throw new IOException("in use");
            }
        } finally {
            lock.unlock();
        }
    }

    void write(String text) throws IOException {
        lock.lock(); // expect: unreleased-lock
        if (file == null) {
            throw new IllegalStateException("closed");
        }
        try {
            file.writeUTF(text);
        } finally {
            lock.unlock();
        }
    }

    Object load(Path path) throws IOException, ClassNotFoundException {
        if (!Files.exists(path)) {
            return null;
        }
        try (ObjectInputStream in = new ObjectInputStream(Files.newInputStream(path))) {
            return in.readObject();
        }
    }

    int lines(File from) throws IOException {
        int n = 0;
        BufferedReader in = new BufferedReader(new FileReader(from));
        try {
            while (in.readLine() != null) {
                n++;
            }
        } finally {
            in.close();
        }
        return n;
    }

    void replace(File from, File to) throws IOException {
        BufferedReader in = null;
        BufferedWriter out = null;
        try {
            in = new BufferedReader(new FileReader(from));
            out = new BufferedWriter(new FileWriter(to));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                out.write(line.replace("a", "b"));
                out.newLine();
            }
        } finally {
            try {
                if (in != null) {
                    in.close();
                }
            } finally {
                if (out != null) {
                    out.close();
                }
            }
        }
    }

    byte[] bytes(File from) throws IOException {
        byte[] all = new byte[(int) from.length()];
        FileInputStream in = new FileInputStream(from);
        try {
            in.read(all); // expect: ignored-result
        } finally {
            in.close();
        }
        return all;
    }

    byte[] bytesFully(File from) throws IOException {
        byte[] all = new byte[(int) from.length()];
        try (FileInputStream in = new FileInputStream(from)) {
            int at = 0;
            while (at < all.length) {
                int n = in.read(all, at, all.length - at);
                if (n < 0) {
                    throw new IOException("short");
                }
                at += n;
            }
        }
        return all;
    }

    synchronized void close() throws IOException {
        if (held != null) {
            held.release();
            held = null;
        }
        if (file != null) {
            file.close();
            file = null;
        }
    }
}
