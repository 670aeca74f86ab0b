package io.counterflow.serving.http;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Reads and checks the files of certificate and key. */
public final class PemFiles {

    private static final Pattern CERTIFICATE = Pattern.compile("-----BEGIN [A-Z0-9 ]*CERTIFICATE");
    private static final Pattern KEY =
            Pattern.compile("-----BEGIN (?!ENCRYPTED)[A-Z0-9 ]*PRIVATE KEY-----");

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
        try {
            options.getKeyManagerFactory(vertx);
        } catch (Exception e) { // as declared
            throw new IllegalArgumentException(
                    "serving.tls.certificate-file %s and serving.tls.key-file %s must be PEM: %s"
                            .formatted(certificate, key, e.getMessage()),
                    e);
        }
        return options;
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
