import java.util.*;
/** Trees with parents, helpers that answer null. */
class Parts {
    private Parts parent;
    private final List<Parts> below = new ArrayList<>();
    private final String name;
    Parts(String name) { this.name = name; }
    Parts child(String name) {
        for (Parts p : below) if (p.name.equals(name)) return p;
        return null;
    }
    Parts parent() { return parent; }
    boolean hasParent() { return parent != null; }
    String parentName() { return hasParent() ? parent().name : ""; }
    Parts root() {
        Parts p = this;
        while (p.parent != null) p = p.parent;
        return p;
    }
    Parts add(Parts p) { p.parent = this; below.add(p); return p; }
    String path() { return parent == null ? name : parent.path() + "/" + name; }
    String grand() {
        Parts p = parent;
        if (p == null) System.err.println("no parent");
        return p.parent == null ? p.name : p.parent.name; // expect: null-dereference
    }
    int depthOf(String name) {
        Parts c = child(name);
        if (c == null) return -1;
        return c.below.size();
    }
    int sizeOf(String name) {
        Parts c = child(name);
        return c.below.size(); // expect: null-dereference
    }
    static Parts copy(Parts p, boolean deep) {
        Parts made = null;
        if (p != null) made = new Parts(p.name);
        if (deep) for (Parts q : p.below) made.add(copy(q, true)); // expect: null-dereference
        return made;
    }
    static Parts copySafe(Parts p, boolean deep) {
        if (p == null) return null;
        Parts made = new Parts(p.name);
        if (deep) for (Parts q : p.below) made.add(copySafe(q, true));
        return made;
    }
}
