import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Retries, caches, configuration, threads: mostly right. */
class Client {
    private static volatile Client instance;
    private final Map<String, byte[]> cache = new HashMap<>();
    private String token;

    static Client instance() {
        Client result = instance;
        if (result == null) {
            synchronized (Client.class) {
                result = instance;
                if (result == null) {
                    instance = result = new Client();
                }
            }
        }
        return result;
    }

    byte[] get(String address) throws IOException {
        byte[] known = cache.get(address);
        if (known != null) {
            return known;
        }
        IOException last = null;
        for (int attempt = 0; attempt < 3; attempt++) {
            try {
                byte[] data = fetch(address);
                cache.put(address, data);
                return data;
            } catch (IOException e) {
                last = e;
            }
        }
        throw last;
    }

    private byte[] fetch(String address) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL(address).openConnection();
        if (token != null) {
            c.setRequestProperty("Authorization", token);
        }
        try (InputStream in = c.getInputStream()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[4096];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        } finally {
            c.disconnect();
        }
    }

    static void post(HttpURLConnection c, String body) throws IOException {
        c.setDoOutput(true);
        try (OutputStream out = c.getOutputStream()) {
            out.write(body.getBytes(StandardCharsets.UTF_8));
        }
        if (c.getResponseCode() >= 400) {
            InputStream error = c.getErrorStream();
            if (error != null) {
                try (BufferedReader in = new BufferedReader(new InputStreamReader(error, StandardCharsets.UTF_8))) {
                    String line;
                    while ((line = in.readLine()) != null) {
                        System.err.println(line);
                    }
                }
            }
        }
    }

    static int all(List<Callable<Integer>> tasks) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        try {
            int sum = 0;
            for (Future<Integer> f : pool.invokeAll(tasks)) {
                sum += f.get();
            }
            return sum;
        } finally {
            pool.shutdown();
            if (!pool.awaitTermination(1, TimeUnit.SECONDS)) {
                pool.shutdownNow();
            }
        }
    }

    static int port(String text) {
        int port = -1;
        if (text != null && !text.isEmpty()) {
            try {
                port = Integer.parseInt(text);
            } catch (NumberFormatException e) {
                System.err.println("not a port: " + text);
            }
        }
        return port < 0 || port > 65535 ? 80 : port;
    }

    static String[] split(String address) {
        int colon = address.indexOf(':');
        if (colon < 0) {
            return new String[] {address, null};
        }
        return new String[] {address.substring(0, colon), address.substring(colon + 1)};
    }

    String header(Map<String, List<String>> headers, String name) {
        List<String> values = headers.get(name);
        if (values == null || values.isEmpty()) {
            return null;
        }
        return values.get(0);
    }

    int contentLength(Map<String, List<String>> headers) {
        String length = header(headers, "Content-Length");
        return Integer.parseInt(length.trim()); // expect: null-dereference
    }

    static final class Builder {
        private String token;
        private int timeout = 10;

        Builder token(String token) {
            this.token = token;
            return this;
        }

        Builder timeout(int timeout) {
            if (timeout <= 0) {
                throw new IllegalArgumentException("timeout");
            }
            this.timeout = timeout;
            return this;
        }

        Client build() {
            Client c = new Client();
            c.token = token == null ? null : token.trim() + timeout;
            return c;
        }
    }

    static Client built() {
        return new Builder().token("t").timeout(3).build();
    }
}
