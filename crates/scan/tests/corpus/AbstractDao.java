import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A base class with templates, and what is below it. */
public abstract class AbstractDao {
    protected abstract Connection connect() throws SQLException;

    protected abstract String table();

    public int count() throws SQLException {
        Connection c = connect();
        try {
            Statement s = c.createStatement();
            try {
                ResultSet r = s.executeQuery("select count(*) from " + table());
                try {
                    return r.next() ? r.getInt(1) : 0;
                } finally {
                    r.close();
                }
            } finally {
                s.close();
            }
        } finally {
            c.close();
        }
    }

    public int clear(Connection c) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        int n = s.executeUpdate("delete from " + table());
        if (n > 0) {
            s.close();
        }
        return n;
    }

    public void swap(Connection c, String a, String b) throws SQLException {
        boolean ok = false;
        c.setAutoCommit(false);
        try (Statement s = c.createStatement()) {
            s.executeUpdate("update " + table() + " set name = '" + a + "'");
            s.executeUpdate("update " + table() + " set name = '" + b + "'");
            ok = true;
        } finally {
            if (ok) {
                c.commit();
            } else {
                c.rollback();
            }
        }
    }

    public void swapWrong(Connection c, String a) throws SQLException {
        c.setAutoCommit(false); // expect: transaction-without-end
        try (Statement s = c.createStatement()) {
            s.executeUpdate("update " + table() + " set name = '" + a + "'");
        } catch (SQLException e) {
            System.err.println(e.getMessage());
            return;
        }
        c.commit();
    }

    public String closedRow(Connection c) throws SQLException {
        Statement s = c.createStatement(); // expect: unclosed-resource
        ResultSet r = s.executeQuery("select name from " + table());
        r.close();
        String name = r.getString(1); // expect: use-after-close
        s.close();
        return name;
    }

    static class Users extends AbstractDao {
        private final Connection one;

        Users(Connection one) {
            this.one = one;
        }

        @Override
        protected Connection connect() {
            return one;
        }

        @Override
        protected String table() {
            return "users";
        }

        String find(int id) throws SQLException {
            try (Statement s = one.createStatement(); ResultSet r = s.executeQuery("select " + id)) {
                if (r.next()) {
                    return r.getString(1);
                }
            }
            return null;
        }

        int nameLength(int id) throws SQLException {
            return find(id).length(); // expect: null-dereference
        }

        int nameLengthRight(int id) throws SQLException {
            String n = find(id);
            return n != null ? n.length() : 0;
        }
    }
}
