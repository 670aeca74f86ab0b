package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A self-signed certificate of localhost and its key in PEM, created with keytool. */
record TestCertificate(Path certificate, Path key, Certificate content) {

    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "test";

    static TestCertificate make(Path directory)
            throws IOException, InterruptedException, GeneralSecurityException {
        return make(directory, "EC", 2);
    }

    /**
     * Creates one in a directory that has none.
     *
     * @param algorithm kind of the key
     * @param days until it expires
     */
    static TestCertificate make(Path directory, String algorithm, int days)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = directory.resolve("store.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                ALIAS,
                                "-keyalg",
                                algorithm,
                                "-dname",
                                "CN=localhost",
                                "-ext",
                                "san=dns:localhost,ip:127.0.0.1",
                                "-validity",
                                Integer.toString(days),
                                "-storetype",
                                "PKCS12",
                                "-keystore",
                                store.toString(),
                                "-storepass",
                                PASSWORD)
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(keytool.exitValue()).isZero();
        KeyStore made = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            made.load(in, PASSWORD.toCharArray());
        }
        Certificate content = made.getCertificate(ALIAS);
        return new TestCertificate(
                pem(directory.resolve("certificate.pem"), "CERTIFICATE", content.getEncoded()),
                pem(
                        directory.resolve("key.pem"),
                        "PRIVATE KEY",
                        made.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()),
                content);
    }

    private static Path pem(Path file, String kind, byte[] content) throws IOException {
        String text =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(content);
        return Files.writeString(
                file, "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind));
    }

    /** When it expires, in seconds since 1970. */
    double expiry() {
        return ((X509Certificate) content).getNotAfter().toInstant().getEpochSecond();
    }

    /** Trusts only this certificate. */
    SSLContext trust() throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry(ALIAS, content);
        TrustManagerFactory managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
}
