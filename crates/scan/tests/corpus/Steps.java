import java.security.Key;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import javax.crypto.Cipher;
import javax.crypto.Mac;

/** Calls in the wrong order, iterators, begin and end. */
class Steps {
    static byte[] encrypt(Key key, byte[] data) throws Exception {
        Cipher c = Cipher.getInstance("AES/GCM/NoPadding");
        c.init(Cipher.ENCRYPT_MODE, key);
        c.updateAAD(new byte[1]);
        return c.doFinal(data);
    }

    static byte[] encryptWrong(Key key, byte[] data, boolean init) throws Exception {
        Cipher c = Cipher.getInstance("AES/GCM/NoPadding");
        if (init) {
            c.init(Cipher.ENCRYPT_MODE, key);
        }
        return c.doFinal(data); // expect: call-order
    }

    static byte[] mac(Key key, byte[] data) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.update(data); // expect: call-order
        mac.init(key);
        return mac.doFinal();
    }

    static byte[] sign(PrivateKey key, byte[] data) throws Exception {
        Signature s = Signature.getInstance("SHA256withRSA");
        s.initSign(key);
        s.update(data);
        return s.sign();
    }

    private static void prepare(Signature s, PrivateKey key) throws Exception {
        s.initSign(key);
    }

    static byte[] signPrepared(PrivateKey key, byte[] data) throws Exception {
        Signature s = Signature.getInstance("SHA256withRSA");
        prepare(s, key);
        s.update(data);
        return s.sign();
    }

    static String first(List<String> all) {
        Iterator<String> it = all.iterator();
        return it.next();
    }

    static String firstRight(List<String> all) {
        Iterator<String> it = all.iterator();
        return it.hasNext() ? it.next() : "";
    }

    static int pairs(List<Integer> all) {
        int n = 0;
        Iterator<Integer> it = all.iterator();
        while (it.hasNext()) {
            n += it.next() * it.next(); // expect: iterator-without-hasnext
        }
        return n;
    }

    static void prune(Map<String, Integer> m) {
        for (Iterator<Map.Entry<String, Integer>> it = m.entrySet().iterator(); it.hasNext();) {
            if (it.next().getValue() == 0) {
                it.remove();
            }
        }
    }

    static int each(List<Integer> all) {
        int n = 0;
        for (Integer i : all) {
            n += i;
        }
        return n;
    }

    static class Canvas {
        private int depth;

        void beginGroup() {
            depth++;
        }

        void endGroup() {
            depth--;
        }

        void line(int x) {
            depth += x;
        }
    }

    static void draw(Canvas c, int[] xs) {
        c.beginGroup(); // expect: begin-without-end
        for (int x : xs) {
            if (x < 0) {
                return;
            }
            c.line(x);
        }
        c.endGroup();
    }

    static void drawRight(Canvas c, int[] xs) {
        c.beginGroup();
        try {
            for (int x : xs) {
                if (x < 0) {
                    return;
                }
                c.line(x);
            }
        } finally {
            c.endGroup();
        }
    }
}
