import java.net.URL;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;

/** What is asked for by a key that is known to be there. */
class Keyed {
    static class Item {
        String name;
        int size;
    }

    private final List<Item> items = new ArrayList<>();

    List<String> names() {
        List<String> all = new ArrayList<>();
        for (Item item : items) {
            all.add(item.name);
        }
        return all;
    }

    boolean isKnown(String name) {
        for (Item item : items) {
            if (item.name.equals(name)) {
                return true;
            }
        }
        return false;
    }

    Item find(String name) {
        for (Item item : items) {
            if (item.name.equals(name)) {
                return item;
            }
        }
        return null;
    }

    int sizeOf(String name) {
        Item item = find(name);
        return item == null ? 0 : item.size;
    }

    boolean isLarge(String name) {
        Item item = find(name);
        return item != null && item.size > 9;
    }

    void grow(String name) {
        Item item = find(name);
        if (item != null) {
            item.size++;
        }
    }

    void shrink(String name) {
        Item item = find(name);
        if (item != null) {
            item.size--;
        }
    }

    void clear(String name) {
        Item item = find(name);
        if (item != null) {
            item.size = 0;
        }
    }

    String shown(String name) {
        Item item = find(name);
        return item == null ? name : name + item.size;
    }

    static int all(Keyed k) {
        int n = 0;
        for (String name : k.names()) {
            n += k.find(name).size;
        }
        return n;
    }

    static int asked(Keyed k, String name) {
        if (k.isKnown(name)) {
            System.out.println(name);
            return k.find(name).size;
        }
        return 0;
    }

    static int askedAfterwards(Keyed k, String name) {
        int n = k.find(name).size; // expect: null-dereference
        return k.isKnown(name) ? n : 0;
    }

    static int ofOther(Keyed k, Keyed other) {
        int n = 0;
        for (String name : k.names()) {
            n += other.find(name).size; // expect: null-dereference
        }
        return n;
    }

    static int otherName(Keyed k, String name, String second) {
        if (k.isKnown(name)) {
            return k.find(second).size; // expect: null-dereference
        }
        return 0;
    }

    /** A class of the program below one of the library: its answers are asked for twice. */
    static class Loader extends ClassLoader {
        private final Map<String, URL> known = new HashMap<>();

        void add(String name, URL url) {
            known.put(name, url);
        }

        @Override
        public URL getResource(String name) {
            return known.get(name);
        }
    }

    static String twice(ClassLoader loader) {
        if (loader.getResource("settings") != null && loader.getResource("settings").getPath().length() > 3) {
            return "there";
        }
        return "";
    }
}
