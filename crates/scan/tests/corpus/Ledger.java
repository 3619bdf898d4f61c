import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Transactions of JDBC. */
class Ledger {
    private final DataSource source;

    Ledger(DataSource source) {
        this.source = source;
    }

    /** Nothing undoes it if an update fails. */
    void forgotten(Connection c, int from, int to) throws SQLException {
        c.setAutoCommit(false); // expect: transaction-without-end
        try (PreparedStatement p = c.prepareStatement("update a set n = n - 1 where id = ?")) {
            p.setInt(1, from);
            p.executeUpdate();
            p.setInt(1, to);
            p.executeUpdate();
        }
        c.commit();
    }

    void careful(Connection c, int from) throws SQLException {
        c.setAutoCommit(false);
        try (PreparedStatement p = c.prepareStatement("update a set n = n - 1 where id = ?")) {
            p.setInt(1, from);
            p.executeUpdate();
            c.commit();
        } catch (SQLException e) {
            c.rollback();
            throw e;
        }
    }

    void restores(Connection c) throws SQLException {
        boolean before = c.getAutoCommit();
        c.setAutoCommit(false);
        try {
            work(c);
            c.commit();
        } catch (SQLException e) {
            c.rollback();
            throw e;
        } finally {
            c.setAutoCommit(before);
        }
    }

    private void work(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.execute("delete from a");
        }
    }

    boolean early(boolean dry) throws SQLException {
        try (Connection c = source.getConnection()) {
            c.setAutoCommit(false); // expect: transaction-without-end
            work(c);
            if (dry) {
                return false;
            }
            c.commit();
            return true;
        }
    }

    boolean flag(boolean dry) throws SQLException {
        try (Connection c = source.getConnection()) {
            c.setAutoCommit(false);
            boolean done = false;
            try {
                work(c);
                done = !dry;
            } finally {
                if (done) {
                    c.commit();
                } else {
                    c.rollback();
                }
            }
            return done;
        }
    }

    int automatic() throws SQLException {
        try (Connection c = source.getConnection(); Statement s = c.createStatement()) {
            c.setAutoCommit(true);
            return s.executeUpdate("update a set n = 0");
        }
    }

    int ends() throws SQLException {
        Connection c = DriverManager.getConnection("jdbc:h2:mem:");
        try {
            c.setAutoCommit(false);
            try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select 1")) {
                return r.next() ? r.getInt(1) : 0;
            } finally {
                c.setAutoCommit(true);
            }
        } finally {
            c.close();
        }
    }

    /** The caller ends it. */
    Connection begin() throws SQLException {
        Connection c = source.getConnection(); // expect: unclosed-resource
        c.setAutoCommit(false);
        return c;
    }

    int leaks(String name) throws SQLException {
        Connection c = source.getConnection(); // expect: unclosed-resource
        PreparedStatement p = c.prepareStatement("select n from a where name = ?");
        p.setString(1, name);
        ResultSet r = p.executeQuery();
        int n = r.next() ? r.getInt(1) : -1;
        r.close();
        p.close();
        c.close();
        return n;
    }

    String afterwards(Connection c) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        ResultSet r = s.executeQuery("select name from a");
        try {
            if (!r.next()) {
                return null;
            }
        } finally {
            r.close();
            s.close();
        }
        return r.getString(1); // expect: use-after-close
    }
}
