import java.util.*;
class Labels {
    private Labels parent;
    private final List<Labels> children = new ArrayList<>();
    private String label;
    Labels root() {
        Labels at = this;
        while (at.parent != null) at = at.parent;
        return at;
    }
    Labels find(String s) {
        if (s.equals(label)) return this;
        for (Labels c : children) {
            Labels f = c.find(s);
            if (f != null) return f;
        }
        return null;
    }
    void rename(String a, String b) {
        Labels it = find(a);
        it.label = b; // expect: null-dereference
    }
    void renameIf(String a, String b) {
        Labels it = find(a);
        if (it != null) it.label = b;
    }
    Labels need(String s) {
        Labels it = find(s);
        if (it == null) throw new NoSuchElementException(s);
        return it;
    }
    void renameNeed(String a, String b) { need(a).label = b; }
    void renameChecked(String a, String b) { Objects.requireNonNull(find(a), a).label = b; }
    int depth() { return parent == null ? 0 : 1 + parent.depth(); }
    void detach() {
        parent.children.remove(this);
        if (parent != null) parent = null; // missed: null-check-after-use
    }
    String path() {
        return parent == null ? label : parent.path() + "/" + label;
    }
    boolean same(Labels other) {
        if (other == null && label == null) return true;
        return other.label.equals(label); // missed: null-dereference
    }
}
