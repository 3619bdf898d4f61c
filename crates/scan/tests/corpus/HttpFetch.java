import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.util.List;
import java.util.Map;

/** Fetches pages. */
public class HttpFetch {
    private int retries = 3;

    public byte[] get(String address) throws IOException {
        HttpURLConnection c = (HttpURLConnection) new URL(address).openConnection();
        try (InputStream in = c.getInputStream()) {
            return all(in);
        } finally {
            c.disconnect();
        }
    }

    public byte[] getLeaks(String address) throws IOException {
        InputStream in = new URL(address).openStream(); // expect: unclosed-resource
        byte[] b = all(in);
        in.close();
        return b;
    }

    private static byte[] all(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[4096];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
        }
        return out.toByteArray();
    }

    public byte[] retry(String address) throws IOException {
        IOException last = null;
        for (int i = 0; i < retries; i++) {
            try {
                return get(address);
            } catch (IOException e) {
                last = e;
            }
        }
        throw last; // allow: null-dereference
    }

    public byte[] retryRight(String address) throws IOException {
        IOException last = null;
        for (int i = 0; i < retries; i++) {
            try {
                return get(address);
            } catch (IOException e) {
                last = e;
            }
        }
        if (last == null) {
            last = new IOException("no try");
        }
        throw last;
    }

    public String type(Map<String, List<String>> headers) {
        List<String> types = headers.get("Content-Type");
        if (types == null || types.isEmpty()) {
            return "text/plain";
        }
        return types.get(0);
    }

    public boolean skipHeader(InputStream in) throws IOException {
        in.skip(128); // expect: ignored-result
        return in.read() >= 0;
    }

    public int firstByte(String address) throws IOException {
        InputStream in = null;
        try {
            in = new URL(address).openStream();
            return in.read();
        } finally {
            if (in != null) {
                in.close();
            }
        }
    }

    public int firstByteWrong(String address) throws IOException {
        InputStream in = null;
        try {
            in = new URL(address).openStream();
            return in.read();
        } catch (IOException e) {
            System.err.println(e.getMessage());
        } finally {
            in.close(); // expect: null-dereference
        }
        return -1;
    }

    public void setRetries(int n) {
        retries = n;
    }
}
