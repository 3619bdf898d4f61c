import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Helpers that close several things, and say what went wrong first. */
class Closers {
    static SQLException close(ResultSet rows, Statement statement, Connection connection) {
        SQLException first = null;
        if (rows != null) {
            try {
                if (statement == null) {
                    statement = rows.getStatement();
                }
                rows.close();
            } catch (Throwable t) {
                first = new SQLException();
                first.initCause(t);
            }
        }
        if (statement != null) {
            try {
                statement.close();
            } catch (Throwable t) {
                if (first == null) {
                    first = new SQLException();
                    first.initCause(t);
                }
            }
        }
        if (connection != null) {
            try {
                connection.close();
            } catch (Throwable t) {
                if (first == null) {
                    first = new SQLException();
                    first.initCause(t);
                }
            }
        }
        return first;
    }

    static void closeBoth(Statement statement, Connection connection) {
        if (statement != null) {
            try {
                statement.close();
                connection.close();
            } catch (SQLException e) {
                System.err.println(e.getMessage());
            }
        }
    }

    int count(DataSource source, String table) throws SQLException {
        Connection connection = source.getConnection();
        ResultSet rows = null;
        try {
            rows = connection.getMetaData().getIndexInfo(null, null, table, false, true);
            return rows.next() ? rows.getInt(11) : 0;
        } finally {
            close(rows, null, connection);
        }
    }

    int sum(DataSource source, String query) throws SQLException {
        Connection connection = source.getConnection(); // expect: unclosed-resource
        Statement statement = null;
        try {
            statement = connection.createStatement();
            return statement.executeUpdate(query);
        } finally {
            closeBoth(statement, connection);
        }
    }
}
