import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;

/** Bookings. */
public class Ledger4 {
    private final String url;

    public Ledger4(String url) {
        this.url = url;
    }

    private Connection open() throws SQLException {
        return DriverManager.getConnection(url);
    }

    private static void closeQuietly(AutoCloseable c) {
        try {
            if (c != null) {
                c.close();
            }
        } catch (Exception e) {
            System.err.println(e);
        }
    }

    public long balance(int account) throws SQLException {
        Connection c = null;
        PreparedStatement s = null;
        ResultSet r = null;
        try {
            c = open();
            s = c.prepareStatement("select sum(amount) from booking where account = ?");
            s.setInt(1, account);
            r = s.executeQuery();
            return r.next() ? r.getLong(1) : 0;
        } finally {
            closeQuietly(r);
            closeQuietly(s);
            closeQuietly(c);
        }
    }

    public long balanceLeaks(int account) throws SQLException {
        Connection c = open(); // expect: unclosed-resource
        try (PreparedStatement s = c.prepareStatement("select sum(amount) from booking where account = ?")) {
            s.setInt(1, account);
            try (ResultSet r = s.executeQuery()) {
                return r.next() ? r.getLong(1) : 0;
            }
        }
    }

    public void book(int from, int to, long amount) throws SQLException {
        try (Connection c = open(); Statement s = c.createStatement()) {
            c.setAutoCommit(false);
            try {
                s.executeUpdate("update booking set amount = amount - " + amount + " where account = " + from);
                s.executeUpdate("update booking set amount = amount + " + amount + " where account = " + to);
            } catch (SQLException e) {
                c.rollback();
                throw e;
            }
            c.commit();
        }
    }

    public void bookWrong(Connection c, int from, long amount) throws SQLException {
        c.setAutoCommit(false); // expect: transaction-without-end
        try (Statement s = c.createStatement()) {
            int n = s.executeUpdate("update booking set amount = amount - " + amount + " where account = " + from);
            if (n != 1) {
                throw new SQLException("no account " + from);
            }
        }
        c.commit();
        c.setAutoCommit(true);
    }

    public void partly(Connection c) throws SQLException {
        c.setAutoCommit(false); // expect: transaction-without-end
        Savepoint p = c.setSavepoint();
        try (Statement s = c.createStatement()) {
            s.executeUpdate("delete from booking");
        } catch (SQLException e) {
            c.rollback(p);
        } finally {
            c.commit();
        }
    }

    public String call(Connection c) throws SQLException {
        CallableStatement s = c.prepareCall("{call name()}");
        try {
            s.execute();
        } finally {
            s.close();
        }
        return s.getString(1); // expect: use-after-close
    }

    public int rows(Connection c) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        ResultSet r = s.executeQuery("select * from booking"); // allow: unclosed-resource
        int n = 0;
        while (r.next()) {
            n++;
        }
        return n;
    }

    public String name(int id) throws SQLException {
        try (Connection c = open(); Statement s = c.createStatement(); ResultSet r = s.executeQuery("select " + id)) {
            String found = null;
            while (r.next()) {
                found = r.getString(1);
            }
            return found.trim(); // expect: null-dereference
        }
    }
}
