import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.Signature;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.SecretKey;

/** Signs and seals. */
public class Signer {
    private final KeyPair pair;
    private final SecretKey secret;

    public Signer(KeyPair pair, SecretKey secret) {
        this.pair = pair;
        this.secret = secret;
    }

    public byte[] digest(byte[] data) throws GeneralSecurityException {
        MessageDigest d = MessageDigest.getInstance("SHA-256");
        d.update(data);
        return d.digest();
    }

    public byte[] sign(byte[] data) throws GeneralSecurityException {
        Signature s = Signature.getInstance("SHA256withECDSA");
        s.initSign(pair.getPrivate());
        s.update(data);
        return s.sign();
    }

    public byte[] signUnready(byte[] data) throws GeneralSecurityException {
        Signature s = Signature.getInstance("SHA256withECDSA");
        s.update(data); // expect: call-order
        return s.sign();
    }

    public byte[] sealed(byte[] data, boolean wrap) throws GeneralSecurityException {
        Cipher c = Cipher.getInstance("AES");
        if (wrap) {
            c.init(Cipher.WRAP_MODE, secret);
            return c.wrap(secret);
        }
        c.init(Cipher.ENCRYPT_MODE, secret);
        return c.doFinal(data);
    }

    public byte[] sealedWrong(byte[] data, boolean ready) throws GeneralSecurityException {
        Cipher c = Cipher.getInstance("AES");
        if (ready) {
            c.init(Cipher.ENCRYPT_MODE, secret);
        }
        return c.doFinal(data); // expect: call-order
    }

    private Mac mac() throws GeneralSecurityException {
        Mac m = Mac.getInstance("HmacSHA1");
        m.init(secret);
        return m;
    }

    public byte[] tag(byte[]... parts) throws GeneralSecurityException {
        Mac m = mac();
        for (byte[] p : parts) {
            m.update(p);
        }
        return m.doFinal();
    }

    public KeyStore load(String file, char[] password) throws GeneralSecurityException, IOException {
        KeyStore k = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(file)) {
            k.load(in, password);
        }
        return k;
    }

    public KeyStore loadLeaks(String file, char[] password) throws GeneralSecurityException, IOException {
        KeyStore k = KeyStore.getInstance("PKCS12");
        InputStream in = new FileInputStream(file); // expect: unclosed-resource
        k.load(in, password);
        in.close();
        return k;
    }

    public boolean verify(byte[] data, byte[] signature) {
        Signature s = null;
        try {
            s = Signature.getInstance("SHA256withECDSA");
            s.initVerify(pair.getPublic());
            s.update(data);
            return s.verify(signature);
        } catch (GeneralSecurityException e) {
            System.err.println("not verified by " + s.getAlgorithm()); // expect: null-dereference
            return false;
        }
    }
}
