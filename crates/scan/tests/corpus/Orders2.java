import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Null and Optional, as services write them. */
class Orders2 {
    static final class Order {
        private final String id;
        private final Customer customer;
        private String note;

        Order(String id, Customer customer) {
            this.id = Objects.requireNonNull(id);
            this.customer = customer;
        }

        Customer getCustomer() {
            return customer;
        }

        String getNote() {
            return note;
        }

        void setNote(String note) {
            this.note = note;
        }
    }

    static final class Customer {
        String name;
        Customer parent;
    }

    private final Map<String, Order> orders = new TreeMap<>();
    private Customer fallback;

    Optional<Order> find(String id) {
        return Optional.ofNullable(orders.get(id));
    }

    Order findOrNull(String id) {
        if (id.isEmpty()) {
            return null;
        }
        return orders.get(id);
    }

    String nameOf(String id) {
        return find(id).map(Order::getCustomer).map(it -> it.name).orElse("nobody");
    }

    String nameBadly(String id) {
        Order order = orders.get(id);
        if (order == null) {
            System.out.println("there is no order " + id);
        }
        return order.id; // expect: null-dereference
    }

    String nameGuarded(String id) {
        Order order = orders.get(id);
        if (order == null) {
            throw new IllegalArgumentException(id);
        }
        return order.id;
    }

    int lengthOfNote(Order order) {
        String note = null;
        if (order != null && order.getNote() != null) {
            note = order.getNote();
        }
        return note.length(); // expect: null-dereference
    }

    int lengthChecked(Order order) {
        String note = order == null ? null : order.getNote();
        if (note == null || note.isEmpty()) {
            return 0;
        }
        return note.length();
    }

    boolean either(Order a, Order b) {
        if (a == null || b == null) {
            return a == b;
        }
        return a.id.equals(b.id);
    }

    boolean wrongWay(Order a) {
        return a == null && a.id.isEmpty(); // expect: null-dereference
    }

    boolean orInstead(String s) {
        if (s != null || s.length() > 0) { // expect: null-dereference
            return true;
        }
        return false;
    }

    String requireThen(String s) {
        Objects.requireNonNull(s, "s");
        return s.trim();
    }

    String switched(int kind) {
        String text = null;
        switch (kind) {
            case 0:
                text = "none";
                break;
            case 1:
                text = "one";
                break;
            default:
                break;
        }
        return text.trim(); // expect: null-dereference
    }

    String switchedFully(int kind) {
        String text = null;
        switch (kind) {
            case 0:
                text = "none";
                break;
            default:
                text = "many";
                break;
        }
        return text.trim();
    }

    List<Order> select(Predicate<Order> test) {
        List<Order> found = null;
        for (Order order : orders.values()) {
            if (test.test(order)) {
                if (found == null) {
                    found = new ArrayList<>();
                }
                found.add(order);
            }
        }
        return found == null ? List.of() : found;
    }

    Customer lazily() {
        if (fallback == null) {
            fallback = new Customer();
        }
        return fallback.parent == null ? fallback : fallback.parent;
    }

    int tried(String text) {
        Integer n = null;
        try {
            n = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            System.err.println(e);
        }
        return n; // expect: null-dereference
    }

    int triedWell(String text) {
        Integer n;
        try {
            n = Integer.valueOf(text);
        } catch (NumberFormatException e) {
            n = 0;
        }
        return n;
    }

    private static Customer none() {
        return null;
    }

    String ofNone() {
        Customer c = none();
        return c.name; // expect: null-dereference
    }
}
