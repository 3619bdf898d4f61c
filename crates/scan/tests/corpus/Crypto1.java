import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Ciphers, right and wrong. */
public class Crypto1 {
    private final Key key;

    public Crypto1(byte[] raw) {
        key = new SecretKeySpec(raw, "AES");
    }

    private Cipher cipher(int mode) throws GeneralSecurityException {
        Cipher c = Cipher.getInstance("AES/GCM/NoPadding");
        c.init(mode, key);
        return c;
    }

    public byte[] encrypt(byte[] data) throws GeneralSecurityException {
        return cipher(Cipher.ENCRYPT_MODE).doFinal(data);
    }

    public byte[] encryptUnready(byte[] data) throws GeneralSecurityException {
        Cipher c = Cipher.getInstance("AES/GCM/NoPadding");
        return c.doFinal(data); // expect: call-order
    }

    public byte[] mac(byte[] data, boolean ready) throws GeneralSecurityException {
        Mac m = Mac.getInstance("HmacSHA256");
        if (ready) {
            m.init(key);
        }
        m.update(data); // expect: call-order
        return m.doFinal(); // allow: call-order
    }

    public byte[] macRight(byte[] data) throws GeneralSecurityException {
        Mac m = Mac.getInstance("HmacSHA256");
        m.init(key);
        m.update(data);
        return m.doFinal();
    }

    public byte[] sign(PrivateKey k, byte[] data) throws GeneralSecurityException {
        Signature s = Signature.getInstance("SHA256withRSA");
        s.initSign(k);
        s.update(data);
        return s.sign();
    }

    public boolean verify(PublicKey k, byte[] data, byte[] signature) throws GeneralSecurityException {
        Signature s = Signature.getInstance("SHA256withRSA");
        s.update(data); // expect: call-order
        s.initVerify(k);
        return s.verify(signature);
    }

    public boolean verifyRight(PublicKey k, byte[] data, byte[] signature) throws GeneralSecurityException {
        Signature s = Signature.getInstance("SHA256withRSA");
        s.initVerify(k);
        s.update(data);
        return s.verify(signature);
    }

    public byte[] both(byte[] a, byte[] b) throws GeneralSecurityException {
        Cipher c = cipher(Cipher.DECRYPT_MODE);
        c.update(a);
        byte[] done = c.doFinal(b);
        if (done == null) {
            return new byte[0];
        }
        return done;
    }
}
