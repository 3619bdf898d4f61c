import java.sql.*;
/** Transactions. */
class Transfers {
    private final Connection shared;
    Transfers(Connection c) { shared = c; }
    static void move(Connection c, int from, int to, int sum) throws SQLException {
        c.setAutoCommit(false);
        try (PreparedStatement s = c.prepareStatement("update t set n = n + ? where id = ?")) {
            s.setInt(1, -sum); s.setInt(2, from); s.executeUpdate();
            s.setInt(1, sum); s.setInt(2, to); s.executeUpdate();
            c.commit();
        } catch (SQLException e) {
            c.rollback();
            throw e;
        } finally {
            c.setAutoCommit(true);
        }
    }
    static void moveBadly(Connection c, int from, int sum) throws SQLException {
        c.setAutoCommit(false); // expect: transaction-without-end
        PreparedStatement s = c.prepareStatement("update t set n = n - ? where id = ?");
        try {
            s.setInt(1, sum); s.setInt(2, from);
            if (s.executeUpdate() == 0) return;
            c.commit();
        } finally {
            s.close();
        }
    }
    static int count(Connection c) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        ResultSet r = s.executeQuery("select count(*) from t");
        return r.next() ? r.getInt(1) : 0;
    }
    static int countSafe(Connection c) throws SQLException {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select count(*) from t")) {
            return r.next() ? r.getInt(1) : 0;
        }
    }
    int sum() throws SQLException {
        try (Statement s = shared.createStatement()) {
            ResultSet r = s.executeQuery("select sum(n) from t");
            int n = r.next() ? r.getInt(1) : 0;
            s.close();
            return n + (r.next() ? 1 : 0);
        }
    }
    static String owner(Connection c, int id) throws SQLException {
        String name = null;
        try (PreparedStatement s = c.prepareStatement("select name from t where id = ?")) {
            s.setInt(1, id);
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) name = r.getString(1);
            }
        }
        return name.trim(); // expect: null-dereference
    }
}
