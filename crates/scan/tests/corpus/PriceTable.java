import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** Prices by article and amount. */
public class PriceTable {
    enum Kind { NORMAL, REDUCED, FREE }

    static class Article {
        final String name;
        final Kind kind;
        BigDecimal price;

        Article(String name, Kind kind) {
            this.name = name;
            this.kind = kind;
        }
    }

    private final Map<String, Article> articles = new HashMap<>();
    private final NavigableMap<Integer, BigDecimal> discounts = new TreeMap<>();

    Article find(String name) {
        return articles.get(name);
    }

    BigDecimal tax(Article a) {
        BigDecimal rate = null;
        switch (a.kind) {
            case NORMAL -> rate = new BigDecimal("0.19");
            case REDUCED -> rate = new BigDecimal("0.07");
            default -> { }
        }
        return a.price.multiply(rate).setScale(2, RoundingMode.HALF_UP); // allow: null-dereference
    }

    int rateLength(Kind k) {
        String text = null;
        if (k == Kind.NORMAL) {
            text = "19";
        }
        return text.length(); // expect: null-dereference
    }

    BigDecimal discounted(BigDecimal price, int amount) {
        Map.Entry<Integer, BigDecimal> e = discounts.floorEntry(amount);
        if (e == null) {
            return price;
        }
        return price.subtract(price.multiply(e.getValue()));
    }

    BigDecimal sum(Iterable<Article> all) {
        BigDecimal sum = BigDecimal.ZERO;
        for (Article a : all) {
            if (a.price == null) {
                continue;
            }
            sum = sum.add(a.price);
        }
        sum.setScale(2, RoundingMode.HALF_UP); // expect: ignored-result
        return sum;
    }

    String show(String name) {
        Article a = find(name);
        if (a == null) {
            return "unknown";
        }
        String s = a.name.toUpperCase();
        s.concat("!"); // expect: ignored-result
        return s;
    }

    int level(int amount) {
        int level = 0;
        if (amount > 10) {
            level = 1;
        }
        if (amount > 100) {
            level = 2;
        }
        if (level > 2) { // expect: decided-branch
            level = 3;
        }
        return level;
    }

    int band(int amount) {
        if (amount < 0) {
            throw new IllegalArgumentException("amount");
        }
        if (amount < 10) {
            return 0;
        } else if (amount < 100) {
            return 1;
        }
        return 2;
    }

    void put(Article a) {
        Article old = articles.put(a.name, a); // expect: unused-definition
    }

    boolean same(Article a, Article b) {
        if (a.name.equals(b.name)) {
            return a == b || a != null && a.kind == b.kind; // expect: null-check-after-use
        }
        return false;
    }
}
