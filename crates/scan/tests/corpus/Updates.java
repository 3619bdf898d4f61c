import java.sql.*;
class Updates {
    private final Connection c;
    Updates(Connection c) { this.c = c; }
    int update(String sql) throws SQLException {
        Statement s = c.createStatement(); // allow: unclosed-resource
        int n = s.executeUpdate(sql);
        s.close();
        return n;
    }
    int updateOr(String sql) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        int n = s.executeUpdate(sql);
        if (n == 0) return -1;
        s.close();
        return n;
    }
    String one(String sql) throws SQLException {
        Statement s = null;
        ResultSet r = null;
        try {
            s = c.createStatement();
            r = s.executeQuery(sql);
            return r.next() ? r.getString(1) : null;
        } finally {
            if (r != null) r.close();
            if (s != null) s.close();
        }
    }
    String oneTrimmed(String sql) throws SQLException {
        return one(sql).trim(); // expect: null-dereference
    }
    void batch(Iterable<String> all) throws SQLException {
        c.setAutoCommit(false);
        boolean ok = false;
        try (Statement s = c.createStatement()) {
            for (String sql : all) s.addBatch(sql);
            s.executeBatch();
            ok = true;
        } finally {
            if (ok) c.commit(); else c.rollback();
            c.setAutoCommit(true);
        }
    }
    void half(String a, boolean now) throws SQLException {
        c.setAutoCommit(false); // expect: transaction-without-end
        update(a);
        if (now) c.commit();
    }
    static Connection open(String url) throws SQLException {
        Connection c = DriverManager.getConnection(url); // allow: unclosed-resource
        c.setReadOnly(true);
        return c;
    }
    static boolean isValid(String url) throws SQLException {
        Connection c = open(url); // expect: unclosed-resource
        boolean ok = c.isValid(1);
        if (ok) c.close();
        return ok;
    }
}
