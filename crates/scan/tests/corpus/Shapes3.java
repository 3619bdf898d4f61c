import java.util.List;
import java.util.Objects;

/** Sealed shapes and records. */
public class Shapes3 {
    sealed interface Shape permits Circle, Square, Group {}

    record Circle(double r) implements Shape {}

    record Square(double a) implements Shape {}

    record Group(List<Shape> parts, String name) implements Shape {
        Group {
            Objects.requireNonNull(parts);
        }
    }

    static double area(Shape s) {
        if (s instanceof Circle c) {
            return Math.PI * c.r() * c.r();
        } else if (s instanceof Square q) {
            return q.a() * q.a();
        } else if (s instanceof Group g) {
            return g.parts().stream().mapToDouble(Shapes3::area).sum();
        }
        throw new AssertionError();
    }

    static String title(Shape s) {
        String name = null;
        if (s instanceof Group g) {
            name = g.name();
        } else if (s instanceof Circle) {
            name = "circle";
        }
        return name.trim(); // expect: null-dereference
    }

    static String titleRight(Shape s) {
        String name = null;
        if (s instanceof Group) {
            name = "group";
        } else if (s instanceof Circle) {
            name = "circle";
        }
        if (name == null) {
            name = "square";
        }
        return name.trim();
    }

    static int sides(Shape s) {
        String kind = switch (s.getClass().getSimpleName()) {
            case "Circle" -> "round";
            case "Square" -> "straight";
            default -> null;
        };
        return kind.length(); // expect: null-dereference
    }

    static int kindOf(int code) {
        int result = switch (code) {
            case 1, 2 -> 10;
            case 3 -> {
                int doubled = code * 2;
                yield doubled;
            }
            default -> 0;
        };
        return result;
    }

    static boolean isBig(Shape s, double limit) {
        double a = area(s);
        if (limit >= 0 || limit < 0) { // allow: decided-branch
            return a > limit;
        }
        return false;
    }

    static boolean between(int n) {
        if (n > 10 && n < 5) { // expect: decided-branch
            return true;
        }
        return n > 0;
    }

    static boolean betweenRight(int n) {
        return n > 5 && n < 10;
    }

    static Shape clean(Shape s) {
        Shape t = s;
        if (s instanceof Group g && g.parts().isEmpty()) {
            t = new Square(0);
        }
        return t;
    }

    static double perimeter(Circle c) {
        double p = 2 * c.r() * Math.PI; // expect: unused-definition
        p = Math.PI * c.r() * 2.0;
        return p;
    }
}
