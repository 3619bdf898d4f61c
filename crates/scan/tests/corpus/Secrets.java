import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import javax.crypto.Cipher;
import javax.crypto.Mac;

/** Ciphers in order; temporary files. */
class Secrets {
    private final Cipher shared;

    Secrets(Cipher shared) {
        this.shared = shared;
    }

    byte[] encrypt(Key key, byte[] text) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(Cipher.ENCRYPT_MODE, key);
        return cipher.doFinal(text);
    }

    byte[] encryptBadly(Key key, byte[] text) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        if (key != null) {
            cipher.init(Cipher.ENCRYPT_MODE, key);
        }
        return cipher.doFinal(text); // expect: call-order
    }

    byte[] withShared(byte[] text) throws GeneralSecurityException {
        return shared.doFinal(text);
    }

    byte[] mac(Key key, byte[][] parts) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(key);
        for (byte[] part : parts) {
            mac.update(part);
        }
        return mac.doFinal();
    }

    byte[] sign(PrivateKey key, byte[] text) throws GeneralSecurityException {
        Signature signature = Signature.getInstance("SHA256withRSA");
        signature.update(text); // expect: call-order
        signature.initSign(key);
        return signature.sign();
    }

    private Cipher made(Key key) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance("AES");
        cipher.init(Cipher.DECRYPT_MODE, key);
        return cipher;
    }

    byte[] decrypt(Key key, byte[] text) throws GeneralSecurityException {
        return made(key).doFinal(text);
    }

    byte[] digest(byte[] text) throws GeneralSecurityException {
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(text);
        return digest.digest();
    }

    long temporary(byte[] bytes) throws IOException {
        File file = File.createTempFile("a", ".tmp");
        try {
            try (OutputStream out = new FileOutputStream(file)) {
                out.write(bytes);
            }
            return file.length();
        } finally {
            file.delete();
        }
    }

    long temporaryBadly(byte[] bytes) throws IOException {
        File file = File.createTempFile("a", ".tmp"); // expect: temporary-file
        try (OutputStream out = new FileOutputStream(file)) {
            out.write(bytes);
        }
        return file.length();
    }

    File temporaryFor(byte[] bytes) throws IOException {
        File file = File.createTempFile("a", ".tmp");
        file.deleteOnExit();
        return file;
    }

    boolean move(File from, File to) {
        from.renameTo(to); // expect: ignored-result
        return to.exists();
    }
}
