import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** Records, sealed types, switches, streams: all is well here. */
class Shapes1 {
    sealed interface Shape permits Circle, Square, Group {}

    record Circle(double radius) implements Shape {}

    record Square(double side) implements Shape {}

    record Group(List<Shape> parts) implements Shape {
        Group {
            Objects.requireNonNull(parts);
        }
    }

    enum Kind { SMALL, LARGE }

    static double area(Shape shape) {
        if (shape instanceof Circle c) {
            return c.radius() * c.radius() * Math.PI;
        } else if (shape instanceof Square s) {
            return s.side() * s.side();
        } else if (shape instanceof Group g) {
            double sum = 0;
            for (Shape it : g.parts()) {
                sum += area(it);
            }
            return sum;
        }
        throw new IllegalArgumentException();
    }

    static String name(Kind kind) {
        return switch (kind) {
            case SMALL -> "small";
            case LARGE -> "large";
        };
    }

    static int rank(Kind kind) {
        switch (kind) {
            case SMALL:
                return 0;
            case LARGE:
                return 1;
            default:
                throw new AssertionError(kind);
        }
    }

    static List<Shape> largest(List<Shape> all, int most) {
        List<Shape> sorted = new ArrayList<>(all);
        sorted.sort(Comparator.comparingDouble(Shapes1::area).reversed());
        return sorted.subList(0, Math.min(most, sorted.size()));
    }

    static String text(Object o) {
        String text = o == null ? "null" : o.toString();
        return text == null ? "" : text;
    }

    static Shape first(List<Shape> all) {
        return all.stream().filter(Objects::nonNull).findFirst().orElseThrow();
    }

    static int hash(Object a, Object b) {
        int hash = 17;
        hash = 31 * hash + (a == null ? 0 : a.hashCode());
        hash = 31 * hash + (b == null ? 0 : b.hashCode());
        return hash;
    }

    private Kind kind;

    @Override
    public boolean equals(Object other) {
        if (this == other) {
            return true;
        }
        if (other == null || getClass() != other.getClass()) {
            return false;
        }
        Shapes1 that = (Shapes1) other;
        return kind == that.kind;
    }

    @Override
    public int hashCode() {
        return Objects.hash(kind);
    }

    static String block = """
            text
            """;

    static int find(int[] all, int wanted) {
        int found = -1;
        for (int i = 0; i < all.length && found < 0; i++) {
            if (all[i] == wanted) {
                found = i;
            }
        }
        return found;
    }

    static boolean retry(Runnable what, int times) {
        RuntimeException last = null;
        for (int i = 0; i < times; i++) {
            try {
                what.run();
                return true;
            } catch (IllegalStateException e) {
                last = e;
            }
        }
        if (last != null) {
            throw last;
        }
        return false;
    }

    static String labels(int[][] table) {
        StringBuilder text = new StringBuilder();
        outer:
        for (int[] row : table) {
            for (int cell : row) {
                if (cell < 0) {
                    continue outer;
                }
                if (cell > 9) {
                    break outer;
                }
                text.append(cell);
            }
        }
        return text.toString();
    }
}
