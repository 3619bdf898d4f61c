import java.sql.*;
import java.util.*;
import javax.sql.DataSource;
/** Databases: connections, statements, transactions. */
class Tables {
    private final DataSource ds; Tables(DataSource d) { ds = d; }
    List<String> ok(String q) throws SQLException {
        List<String> out = new ArrayList<>();
        try (Connection c = ds.getConnection(); PreparedStatement p = c.prepareStatement(q); ResultSet r = p.executeQuery()) {
            while (r.next()) out.add(r.getString(1));
        }
        return out;
    }
    String leak(String q) throws SQLException {
        Connection c = ds.getConnection(); // expect: unclosed-resource
        PreparedStatement p = c.prepareStatement(q);
        ResultSet r = p.executeQuery();
        return r.next() ? r.getString(1) : null;
    }
    int leakOnError(String q) throws SQLException {
        Connection c = ds.getConnection(); // expect: unclosed-resource
        Statement s = c.createStatement();
        int n = s.executeUpdate(q);
        s.close();
        c.close();
        return n;
    }
    int finallyOk(String q) throws SQLException {
        Connection c = null; Statement s = null;
        try { c = ds.getConnection(); s = c.createStatement(); return s.executeUpdate(q); }
        finally {
            if (s != null) try { s.close(); } catch (SQLException e) { }
            if (c != null) try { c.close(); } catch (SQLException e) { }
        }
    }
    void transferOk(Connection c, int a) throws SQLException {
        c.setAutoCommit(false);
        try { update(c, a); update(c, -a); c.commit(); }
        catch (SQLException e) { c.rollback(); throw e; }
        finally { c.setAutoCommit(true); }
    }
    void transferBad(Connection c, int a) throws SQLException {
        c.setAutoCommit(false); // expect: transaction-without-end
        update(c, a);
        if (a > 100) return;
        c.commit();
    }
    private void update(Connection c, int a) throws SQLException {
        try (PreparedStatement p = c.prepareStatement("u")) { p.setInt(1, a); p.executeUpdate(); }
    }
    Connection open() throws SQLException { return ds.getConnection(); }
    void useAfter(String q) throws SQLException {
        ResultSet r;
        try (Connection c = ds.getConnection(); Statement s = c.createStatement()) { r = s.executeQuery(q); }
        r.next(); // allow: use-after-close
    }
    boolean exists(Connection c, String q) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        return s.executeQuery(q).next();
    }
}
