import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** Names and what they stand for. */
public class Registry3 {
    interface Plugin {
        String id();

        default int order() {
            return 0;
        }
    }

    private final Map<String, Plugin> plugins = new HashMap<>();
    private final AtomicInteger changes = new AtomicInteger();
    private Plugin fallback;

    public void add(Plugin p) {
        if (p == null) {
            throw new NullPointerException("plugin");
        }
        plugins.put(p.id(), p);
        changes.incrementAndGet();
    }

    public Optional<Plugin> find(String id) {
        return Optional.ofNullable(plugins.get(id));
    }

    public int orderOf(String id) {
        return find(id).map(Plugin::order).orElse(-1);
    }

    public String idOrNull(String id) {
        Plugin p = find(id).orElse(null);
        if (p == null) {
            return null;
        }
        return p.id();
    }

    public int idLength(String id) {
        Plugin p = find(id).orElse(null);
        return p.id().length(); // expect: unchecked-null-result
    }

    public Plugin lookup(String id) {
        Plugin p = plugins.get(id);
        if (p == null && fallback != null) {
            p = fallback;
        }
        return p;
    }

    public int orderSafe(String id) {
        Plugin p = plugins.get(id);
        if (p != null) {
            return p.order();
        }
        return 0;
    }

    public int orderLogged(String id) {
        Plugin p = plugins.get(id);
        if (p == null) {
            System.out.println("not found: " + id);
        }
        return p.order(); // expect: null-dereference
    }

    public List<String> ids() {
        List<String> ids = new ArrayList<>(plugins.keySet());
        Collections.sort(ids);
        return ids;
    }

    public String describe(Plugin p) {
        String text = "plugin " + p.id();
        if (p != null && p.order() > 0) { // expect: null-check-after-use
            text += " of order " + p.order();
        }
        return text;
    }

    public String describeRight(Plugin p) {
        if (p == null) {
            return "none";
        }
        return "plugin " + p.id();
    }

    public int count() {
        int n = 0;
        for (Plugin p : plugins.values()) {
            if (p.order() >= 0) {
                n++;
            }
        }
        if (n >= 0) { // expect: decided-branch
            return n;
        }
        return -1;
    }

    public void reset() {
        plugins.clear();
        fallback = null;
        int was = changes.getAndSet(0); // expect: unused-definition
    }

    public void setFallback(Plugin p) {
        fallback = p;
    }
}
