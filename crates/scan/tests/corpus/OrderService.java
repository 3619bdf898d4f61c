import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;

/** Orders in a database. */
public class OrderService {
    private final DataSource source;

    public OrderService(DataSource source) {
        this.source = source;
    }

    public List<String> names(int customer) throws SQLException {
        List<String> names = new ArrayList<>();
        try (Connection c = source.getConnection();
             PreparedStatement s = c.prepareStatement("select name from orders where customer = ?")) {
            s.setInt(1, customer);
            try (ResultSet r = s.executeQuery()) {
                while (r.next()) {
                    names.add(r.getString(1));
                }
            }
        }
        return names;
    }

    public int countLeaking(int customer) throws SQLException {
        Connection c = source.getConnection(); // expect: unclosed-resource
        PreparedStatement s = c.prepareStatement("select count(*) from orders where customer = ?"); // allow: unclosed-resource
        s.setInt(1, customer);
        ResultSet r = s.executeQuery(); // allow: unclosed-resource
        int n = r.next() ? r.getInt(1) : 0;
        r.close();
        s.close();
        return n;
    }

    public BigDecimal total(int customer) throws SQLException {
        BigDecimal sum = BigDecimal.ZERO;
        try (Connection c = source.getConnection();
             PreparedStatement s = c.prepareStatement("select price from orders where customer = ?")) {
            s.setInt(1, customer);
            ResultSet r = s.executeQuery();
            while (r.next()) {
                sum.add(r.getBigDecimal(1)); // expect: ignored-result
            }
        }
        return sum;
    }

    public void move(int from, int to) throws SQLException {
        try (Connection c = source.getConnection()) {
            c.setAutoCommit(false);
            try (PreparedStatement s = c.prepareStatement("update orders set customer = ? where customer = ?")) {
                s.setInt(1, to);
                s.setInt(2, from);
                s.executeUpdate();
                c.commit();
            } catch (SQLException e) {
                c.rollback();
                throw e;
            }
        }
    }

    public void moveForgets(int from, int to) throws SQLException {
        try (Connection c = source.getConnection()) {
            c.setAutoCommit(false); // expect: transaction-without-end
            try (PreparedStatement s = c.prepareStatement("update orders set customer = ? where customer = ?")) {
                s.setInt(1, to);
                s.setInt(2, from);
                if (s.executeUpdate() == 0) {
                    return;
                }
            }
            c.commit();
        }
    }

    public Optional<String> first(int customer) throws SQLException {
        ResultSet r = null;
        PreparedStatement s = null;
        Connection c = null;
        try {
            c = source.getConnection();
            s = c.prepareStatement("select name from orders where customer = ?");
            s.setInt(1, customer);
            r = s.executeQuery();
            return r.next() ? Optional.of(r.getString(1)) : Optional.empty();
        } finally {
            if (r != null) r.close();
            if (s != null) s.close();
            if (c != null) c.close();
        }
    }
}
