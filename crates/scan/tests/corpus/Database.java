import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Connections, statements, results. */
class Database {
    private final DataSource source;

    Database(DataSource source) {
        this.source = source;
    }

    List<String> names() throws SQLException {
        List<String> all = new ArrayList<>();
        try (Connection c = source.getConnection();
                PreparedStatement s = c.prepareStatement("select name from t");
                ResultSet r = s.executeQuery()) {
            while (r.next()) {
                all.add(r.getString(1));
            }
        }
        return all;
    }

    int count() throws SQLException {
        Connection c = source.getConnection(); // expect: unclosed-resource
        Statement s = c.createStatement();
        ResultSet r = s.executeQuery("select count(*) from t");
        r.next();
        return r.getInt(1);
    }

    int countOld() throws SQLException {
        Connection c = null;
        Statement s = null;
        ResultSet r = null;
        try {
            c = source.getConnection();
            s = c.createStatement();
            r = s.executeQuery("select count(*) from t");
            return r.next() ? r.getInt(1) : 0;
        } finally {
            if (r != null) {
                r.close();
            }
            if (s != null) {
                s.close();
            }
            if (c != null) {
                c.close();
            }
        }
    }

    void insert(Connection c, String name) throws SQLException {
        PreparedStatement s = c.prepareStatement("insert into t values (?)"); // expect: unclosed-resource
        s.setString(1, name);
        s.executeUpdate();
    }

    void insertRight(Connection c, String name) throws SQLException {
        try (PreparedStatement s = c.prepareStatement("insert into t values (?)")) {
            s.setString(1, name);
            s.executeUpdate();
        }
    }

    static Connection connect(String url) throws SQLException {
        Connection c = DriverManager.getConnection(url); // expect: unclosed-resource
        c.setReadOnly(true); // may throw, and then nobody closes it
        return c;
    }

    String afterClose(Connection c) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        ResultSet r = s.executeQuery("select 1");
        r.close();
        s.close();
        return r.getString(1); // expect: use-after-close
    }

    int inLoop(Connection c, int[] ids) throws SQLException {
        int sum = 0;
        for (int id : ids) {
            Statement s = c.createStatement(); // expect: unclosed-resource
            sum += s.executeUpdate("delete from t where id = " + id);
        }
        return sum;
    }
}
