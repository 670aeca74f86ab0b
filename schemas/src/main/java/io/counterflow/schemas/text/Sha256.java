package io.counterflow.schemas.text;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes a SHA-256 digest, in lower-case hexadecimal digits. */
public final class Sha256 {

    private final MessageDigest digest;

    public Sha256() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public static String hex(byte[] bytes) {
        return new Sha256().update(ByteBuffer.wrap(bytes)).hex();
    }

    /** Adds bytes to the input. The buffer's position does not change. */
    public Sha256 update(ByteBuffer bytes) {
        digest.update(bytes.duplicate());
        return this;
    }

    /** The digest of all bytes added so far. Starts again with no input. */
    public String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
