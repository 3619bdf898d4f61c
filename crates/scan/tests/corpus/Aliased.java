/** One object by two names: what is known of it by one of them is known by the other. */
class Aliased {
    static final Aliased NOTHING = new Aliased();

    private final java.util.List<Aliased> children = new java.util.ArrayList<>();
    private String name = "";

    Aliased child(String name) {
        for (Aliased a : children) {
            if (a.name.equals(name)) {
                return a;
            }
        }
        return NOTHING;
    }

    Aliased child(String name, boolean make) {
        Aliased found = child(name);
        if (!make && found == NOTHING) {
            return null;
        }
        return found;
    }

    static int count(Aliased top) {
        Aliased fonts = top.child("fonts");
        Aliased referenced = fonts.child("referenced", false);
        int n = 0;
        if (referenced != null) {
            n = referenced.children.size();
        }
        return n + fonts.children.size();
    }

    static int wrong(Aliased top) {
        Aliased fonts = top.child("fonts");
        Aliased referenced = fonts.child("referenced", false);
        return referenced.children.size() + fonts.children.size(); // expect: null-dereference
    }
}

/** Arrays that are made only if none is given. */
class Rings {
    protected String[] holes;
    private final int[] sizes = new int[3];

    Rings(String[] holes) {
        if (holes == null) {
            holes = new String[] {};
        }
        for (String hole : holes) {
            if (hole == null) {
                throw new IllegalArgumentException("no hole");
            }
        }
        this.holes = holes;
    }

    int count() {
        return holes.length;
    }

    boolean isLarge() {
        return sizes.length > 2; // expect: decided-branch
    }
}

class RingChecks {
    private String wrong;

    private void check(String hole) {
        if (hole.isEmpty()) {
            wrong = hole;
        }
    }

    private boolean isWrong() {
        return wrong != null;
    }

    void checkAll(Rings rings) {
        for (int i = 0; i < rings.count(); i++) {
            check(rings.holes[i]);
            if (isWrong()) {
                return;
            }
        }
    }
}
