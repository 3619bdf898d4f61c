import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

public class Inbox {
    private final DataSource ds;

    public Inbox(DataSource ds) {
        this.ds = ds;
    }

    interface Work<T> {
        T run(Connection c) throws SQLException;
    }

    private <T> T in(Work<T> w) throws SQLException {
        Connection c = ds.getConnection();
        try {
            c.setAutoCommit(false);
            T t = w.run(c);
            c.commit();
            return t;
        } catch (SQLException e) {
            c.rollback();
            throw e;
        } finally {
            c.close();
        }
    }

    public int count() throws SQLException {
        return in(c -> {
            try (PreparedStatement s = c.prepareStatement("select count(*) from inbox"); ResultSet r = s.executeQuery()) {
                return r.next() ? r.getInt(1) : 0;
            }
        });
    }

    public int countLeaks() throws SQLException {
        return in(c -> {
            PreparedStatement s = c.prepareStatement("select count(*) from inbox"); // expect: unclosed-resource
            try (ResultSet r = s.executeQuery()) {
                return r.next() ? r.getInt(1) : 0;
            }
        });
    }

    public void purge(boolean all) throws SQLException {
        try (Connection c = ds.getConnection()) {
            c.setAutoCommit(false); // expect: transaction-without-end
            try (PreparedStatement s = c.prepareStatement(all ? "delete from inbox" : "delete from inbox where seen")) {
                int n = s.executeUpdate();
                if (n > 100) {
                    System.err.println("too many");
                    return;
                }
                c.commit();
            } catch (SQLException e) {
                c.rollback();
            }
        }
    }

    public String subject(int id) throws SQLException {
        String found = null;
        try (Connection c = ds.getConnection(); PreparedStatement s = c.prepareStatement("select subject from inbox where id = ?")) {
            s.setInt(1, id);
            ResultSet r = s.executeQuery();
            if (r.next()) {
                found = r.getString(1);
            }
            r.close();
            if (r.next()) { // expect: use-after-close
                found = null;
            }
        }
        return found;
    }

    public int subjectLength(int id) throws SQLException {
        String s = subject(id);
        if (s == null) {
            return 0;
        }
        return s.length();
    }

    public int subjectWords(int id) throws SQLException {
        return subject(id).split(" ").length; // expect: null-dereference
    }
}
