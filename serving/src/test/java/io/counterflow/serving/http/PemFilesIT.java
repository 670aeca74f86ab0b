package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PemFilesIT {

    private static final Vertx VERTX = Vertx.vertx();

    @TempDir private Path directory;

    @AfterAll
    static void close() {
        VERTX.close().toCompletionStage().toCompletableFuture().join();
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    private void assertRefused(Path certificate, Path key, String message) {
        assertThatThrownBy(() -> PemFiles.read(VERTX, certificate, key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .hasMessageNotContaining("c2VjcmV0");
    }

    @Test
    void aMissingFileIsNamedWithItsOption() throws IOException {
        Path missing = directory.resolve("missing.pem");
        assertRefused(
                missing, missing, "serving.tls.certificate-file must be a file that can be read");
    }

    @Test
    void aFileWithoutACertificateIsNamed() throws IOException {
        Path file = file("c.pem", "c2VjcmV0");
        assertRefused(file, file, "serving.tls.certificate-file must contain a certificate chain");
    }

    @Test
    void anEncryptedKeyIsRefused() throws IOException {
        Path certificate = file("c.pem", "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n");
        Path key = file("k.pem", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nc2VjcmV0\n");
        assertRefused(certificate, key, "serving.tls.key-file must contain a private key");
    }

    @Test
    void damagedFilesAreRefused() throws IOException {
        Path certificate =
                file("c.pem", "-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n");
        Path key =
                file("k.pem", "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n");
        assertRefused(certificate, key, "must be PEM");
    }
}
