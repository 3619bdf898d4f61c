import java.util.ArrayList;
import java.util.List;

/** Elements whose attributes are asked for by name; who asks knows which there are. */
class Attributes {
    private final List<String[]> all = new ArrayList<>();

    void put(String name, String value) {
        all.add(new String[] {name, value});
    }

    String get(String name) {
        for (String[] each : all) {
            if (each[0].equals(name)) {
                return each[1];
            }
        }
        return null;
    }

    static int width(Attributes of) {
        return of.get("width").length();
    }

    static int area(Attributes of, int height) {
        return of.get("width").length() * height;
    }

    static String title(Attributes of) {
        String title = of.get("title");
        return title == null ? "" : title.trim();
    }

    static String label(Attributes of) {
        String label = of.get("label");
        return label == null ? "" : label.trim();
    }

    static boolean isWide(Attributes of) {
        String wide = of.get("wide");
        return wide != null && wide.isEmpty();
    }

    static String heading(Attributes of) {
        return of.get("title").trim(); // expect: null-dereference
    }
}
