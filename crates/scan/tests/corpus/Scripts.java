import java.sql.*;
import javax.sql.DataSource;
class Scripts {
    private final DataSource source;
    Scripts(DataSource source) { this.source = source; }
    String name(int id) throws SQLException {
        try (Connection c = source.getConnection();
             PreparedStatement s = c.prepareStatement("select name from t where id = ?")) {
            s.setInt(1, id);
            try (ResultSet r = s.executeQuery()) {
                return r.next() ? r.getString(1) : null;
            }
        }
    }
    int count() throws SQLException {
        Connection c = source.getConnection(); // expect: unclosed-resource
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery("select count(*) from t");
        r.next();
        int n = r.getInt(1);
        r.close();
        s.close();
        return n;
    }
    void move(int a, int b) throws SQLException {
        Connection c = source.getConnection();
        try {
            c.setAutoCommit(false);
            run(c, a);
            run(c, b);
            c.commit();
        } catch (SQLException e) {
            c.rollback();
            throw e;
        } finally {
            c.close();
        }
    }
    private void run(Connection c, int id) throws SQLException {
        PreparedStatement s = c.prepareStatement("update t set n = n + 1 where id = ?");
        try {
            s.setInt(1, id);
            s.executeUpdate();
        } finally {
            s.close();
        }
    }
    int length(int id) throws SQLException {
        String n = name(id);
        return n.length(); // expect: null-dereference
    }
    boolean isNamed(int id) throws SQLException {
        String n = name(id);
        return n != null && n.length() > 0;
    }
}
