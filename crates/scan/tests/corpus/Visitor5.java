import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Expressions and visitors. */
public class Visitor5 {
    interface Visitor<R> {
        R number(Num n);

        R sum(Sum s);

        R variable(Var v);
    }

    abstract static class Expr {
        abstract <R> R accept(Visitor<R> v);
    }

    static class Num extends Expr {
        int value;

        <R> R accept(Visitor<R> v) {
            return v.number(this);
        }
    }

    static class Sum extends Expr {
        Expr left, right;

        <R> R accept(Visitor<R> v) {
            return v.sum(this);
        }
    }

    static class Var extends Expr {
        String name;

        <R> R accept(Visitor<R> v) {
            return v.variable(this);
        }
    }

    static class Eval implements Visitor<Integer> {
        final Map<String, Integer> values = new HashMap<>();

        public Integer number(Num n) {
            return n.value;
        }

        public Integer sum(Sum s) {
            return s.left.accept(this) + s.right.accept(this);
        }

        public Integer variable(Var v) {
            Integer i = values.get(v.name);
            if (i == null) {
                throw new IllegalStateException("no value for " + v.name);
            }
            return i;
        }
    }

    static class Names implements Visitor<List<String>> {
        public List<String> number(Num n) {
            return List.of();
        }

        public List<String> sum(Sum s) {
            List<String> all = new ArrayList<>(s.left.accept(this));
            all.addAll(s.right.accept(this));
            return all;
        }

        public List<String> variable(Var v) {
            return List.of(v.name);
        }
    }

    static Expr simplify(Expr e) {
        if (e instanceof Sum) {
            Sum s = (Sum) e;
            if (s.left instanceof Num && ((Num) s.left).value == 0) {
                return s.right;
            }
            return s;
        }
        return e;
    }

    static Num asNumber(Expr e) {
        return e instanceof Num ? (Num) e : null;
    }

    static int valueOf(Expr e) {
        Num n = asNumber(e);
        if (n == null) {
            return 0;
        }
        return n.value;
    }

    static int valueOfWrong(Expr e) {
        Num n = asNumber(e);
        return n.value; // expect: null-dereference
    }

    static String show(Expr e) {
        String s;
        if (e instanceof Num) {
            s = "" + ((Num) e).value;
        } else if (e instanceof Var) {
            s = ((Var) e).name;
        } else {
            s = null;
        }
        return s.isEmpty() ? "?" : s; // expect: null-dereference
    }

    static int size(Expr e) {
        int n = 1;
        if (e instanceof Sum) {
            Sum s = (Sum) e;
            n += size(s.left) + size(s.right);
        }
        return n;
    }

    static int sizeWrong(Expr e) {
        int n = 1;
        n += sizeWrong(((Sum) e).left); // expect: endless-recursion
        return n;
    }

    static boolean same(Expr a, Expr b) {
        int x = size(a);
        int y = size(b);
        boolean result = x == y; // expect: unused-definition
        result = a.equals(b);
        return result;
    }
}
