import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A router: text, maps, chains of calls. */
class Routes {
    private static final Pattern PART = Pattern.compile("\\{(\\w+)}");

    static final class Route {
        private final String path;
        private final List<String> names = new ArrayList<>();
        private Handler handler;
        private Route next;

        Route(String path) {
            this.path = path;
        }

        Route to(Handler handler) {
            this.handler = handler;
            return this;
        }
    }

    interface Handler {
        String handle(Map<String, String> values);
    }

    private final Map<String, Route> routes = new LinkedHashMap<>();
    private Route first;
    private Route last;

    Route add(String path) {
        Route route = new Route(path);
        Matcher m = PART.matcher(path);
        while (m.find()) {
            route.names.add(m.group(1));
        }
        if (first == null) {
            first = route;
        } else {
            last.next = route;
        }
        last = route;
        routes.put(path, route);
        return route;
    }

    Route match(String path) {
        for (Route it = first; it != null; it = it.next) {
            if (it.path.equals(path)) {
                return it;
            }
        }
        return null;
    }

    String call(String path) {
        Route route = match(path);
        return route.handler.handle(new HashMap<>()); // expect: null-dereference
    }

    String callSafely(String path) {
        Route route = match(path);
        if (route == null || route.handler == null) {
            return "404";
        }
        return route.handler.handle(new HashMap<>());
    }

    Map<String, String> query(String text) {
        Map<String, String> values = new HashMap<>();
        if (text == null) {
            return values;
        }
        StringTokenizer parts = new StringTokenizer(text, "&");
        while (parts.hasMoreTokens()) {
            String part = parts.nextToken();
            int at = part.indexOf('=');
            String key = at < 0 ? part : part.substring(0, at);
            String value = at < 0 ? null : part.substring(at + 1);
            values.put(key, value);
        }
        return values;
    }

    String extension(String name) {
        String found = null;
        int dot = name.lastIndexOf('.');
        if (dot >= 0) {
            found = name.substring(dot + 1);
        }
        if (dot >= 0) {
            return found.toLowerCase();
        }
        return "";
    }

    String trimmed(String text) {
        String result = text;
        if (text != null) {
            result = text.trim();
        }
        if (result == null) {
            result = "";
        }
        return result.intern();
    }

    int depth(Route route) {
        if (route == null) {
            return 0;
        }
        return 1 + depth(route.next);
    }

    Route find(String name) {
        Route found = null;
        boolean is = false;
        for (Route it : routes.values()) {
            if (it.names.contains(name)) {
                found = it;
                is = true;
            }
        }
        if (is) {
            found.to(null);
        }
        return found;
    }

    String safe(Object o) {
        assert o != null;
        return o.toString();
    }

    String late(Object o) {
        int n = o.hashCode();
        return o == null ? "" : o.toString() + n; // expect: null-check-after-use
    }

    int count(String text, char c) {
        int n = 0;
        int at = text.indexOf(c);
        while (at >= 0) {
            n++;
            at = text.indexOf(c, at + 1);
        }
        return n;
    }

    int countForever(String text, char c) {
        int n = 0;
        int at = text.indexOf(c);
        while (at >= 0) { // expect: endless-loop
            n++;
        }
        return n;
    }
}
