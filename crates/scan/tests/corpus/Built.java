import java.util.*;
/** Builders, texts that do not change, searches. */
class Built {
    static final class Request {
        final String url; final String body; final Map<String, String> headers;
        private Request(Builder b) { url = b.url; body = b.body; headers = b.headers; }
        int bodySize() { return body == null ? 0 : body.length(); }
        String header(String k) { return headers.get(k); }
        static Builder builder() { return new Builder(); }
    }
    static final class Builder {
        private String url; private String body; private Map<String, String> headers = new HashMap<>();
        Builder url(String u) { url = u; return this; }
        Builder body(String b) { this.body = b; return this; }
        Builder header(String k, String v) { headers.put(k, v); return this; }
        Request build() {
            if (url == null) throw new IllegalStateException("url");
            return new Request(this);
        }
        Request buildBad() {
            if (url == null) { System.err.println("no url"); }
            if (url.isEmpty()) throw new IllegalStateException(); // expect: null-dereference
            return new Request(this);
        }
    }
    int use() { return Request.builder().url("x").header("a", "b").build().bodySize(); }
    String name(StringBuilder sb, String suffix) {
        sb.append("a");
        String s = sb.toString();
        s.concat(suffix); // expect: ignored-result
        return s;
    }
    String nameOk(StringBuilder sb, String suffix) {
        sb.append("a").append(suffix);
        sb.reverse();
        return sb.toString();
    }
    String upper(String s) { s.toUpperCase(); return s; } // expect: ignored-result
    int find(List<Request> all, String url) {
        Request r = lookup(all, url);
        return r.bodySize(); // expect: null-dereference
    }
    int findOk(List<Request> all, String url) {
        Request r = lookup(all, url);
        if (r == null) return -1;
        return r.bodySize();
    }
    private static Request lookup(List<Request> all, String url) {
        for (Request r : all) if (r.url.equals(url)) return r;
        return null;
    }
    int findOrThrow(List<Request> all, String url) {
        return Objects.requireNonNull(lookup(all, url)).bodySize();
    }
    int findOr(List<Request> all, String url) {
        return Optional.ofNullable(lookup(all, url)).map(Request::bodySize).orElse(0);
    }
}
