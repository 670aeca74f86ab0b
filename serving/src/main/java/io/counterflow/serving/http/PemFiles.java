package io.counterflow.serving.http;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.util.Map;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509KeyManager;

/** Reads and checks the files of certificate and key. */
public final class PemFiles {

    private static final Pattern CERTIFICATE = Pattern.compile("-----BEGIN [A-Z0-9 ]*CERTIFICATE");
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN (?!ENCRYPTED)[A-Z0-9 ]*PRIVATE KEY-----");

    /** How keys of each kind sign, to check that a key belongs to a certificate. */
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private static final byte[] SIGNED = {1};

    private PemFiles() {}

    /**
     * Reads both files.
     *
     * @throws IllegalArgumentException if a file cannot be used; the message names its option and
     *     never quotes its content
     */
    public static PemKeyCertOptions read(Vertx vertx, Path certificate, Path key) {
        PemKeyCertOptions options =
                new PemKeyCertOptions()
                        .setCertValue(
                                read(
                                        "serving.tls.certificate-file",
                                        certificate,
                                        CERTIFICATE,
                                        "a certificate chain in PEM"))
                        .setKeyValue(
                                read(
                                        "serving.tls.key-file",
                                        key,
                                        KEY,
                                        "a private key in PEM without a password"));
        KeyManagerFactory keys;
        try {
            keys = options.getKeyManagerFactory(vertx);
        } catch (Exception e) { // as declared
            throw new IllegalArgumentException(
                    "serving.tls.certificate-file %s and serving.tls.key-file %s must be PEM: %s"
                            .formatted(certificate, key, e.getMessage()),
                    e);
        }
        if (!belongTogether(keys)) { // as while one of the files has been replaced
            throw new IllegalArgumentException(
                    "serving.tls.key-file %s must be the key of serving.tls.certificate-file %s"
                            .formatted(key, certificate));
        }
        return options;
    }

    private static boolean belongTogether(KeyManagerFactory keys) {
        X509KeyManager manager = (X509KeyManager) keys.getKeyManagers()[0];
        boolean checked = false;
        for (Map.Entry<String, String> algorithm : SIGNATURES.entrySet()) {
            String[] aliases = manager.getServerAliases(algorithm.getKey(), null);
            for (String alias : aliases == null ? new String[0] : aliases) {
                if (!signs(manager, alias, algorithm.getValue())) {
                    return false;
                }
                checked = true;
            }
        }
        return checked;
    }

    private static boolean signs(X509KeyManager manager, String alias, String algorithm) {
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(manager.getPrivateKey(alias));
            signature.update(SIGNED);
            byte[] signed = signature.sign();
            signature.initVerify(manager.getCertificateChain(alias)[0]);
            signature.update(SIGNED);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false; // a key of another kind than the certificate's
        }
    }

    private static Buffer read(String option, Path file, Pattern wanted, String what) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "%s must be a file that can be read, got %s".formatted(option, file), e);
        }
        if (!wanted.matcher(text).find()) {
            throw new IllegalArgumentException(
                    "%s must contain %s, but %s does not".formatted(option, what, file));
        }
        return Buffer.buffer(text);
    }
}
