package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.ProblemResponseException;
import io.counterflow.client.Retries;
import io.counterflow.client.Reward;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.serving.auth.TokenFile;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS from PEM files. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class TlsIT {

    @TempDir private static Path directory;
    private static SharedKafka kafka;
    private static TestCertificate certificate;

    @BeforeAll
    static void start(SharedKafka shared) throws Exception {
        kafka = shared;
        certificate = TestCertificate.make(directory);
    }

    private static String files(Path chain, Path key) {
        return "serving.tls.certificate-file: %s\nserving.tls.key-file: %s".formatted(chain, key);
    }

    private static void reward(ClientSettings settings) throws IOException, InterruptedException {
        new CounterflowClient(settings.withRetries(Retries.none()))
                .reward("nowhere", "e", Reward.of(1));
    }

    @Test
    void onlyClientsThatTrustTheCertificateAreServedAndOnlyOverHttps() throws Exception {
        try (RunningServing serving =
                RunningServing.start(kafka, files(certificate.certificate(), certificate.key()))) {
            URI https = URI.create("https://localhost:" + serving.process().port());
            ClientSettings settings = ClientSettings.of(https);
            assertThatThrownBy(() -> reward(settings.withTrust(certificate.trust())))
                    .as("the server has answered")
                    .isInstanceOf(ProblemResponseException.class)
                    .hasMessageContaining("unknown-loop");
            assertThatThrownBy(() -> reward(settings)).isInstanceOf(SSLException.class);
            assertThatThrownBy(() -> reward(ClientSettings.of(serving.uri(""))))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(ProblemResponseException.class);
        }
    }

    /** As in a mounted secret of Kubernetes: the files are links through a link to a directory. */
    private static void show(Path mount, Path content) throws IOException {
        Path link = Files.createSymbolicLink(mount.resolve("..data_tmp"), content);
        Files.move(link, mount.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    private static boolean serves(RunningServing serving, TestCertificate expected) {
        try (Socket socket =
                expected.trust()
                        .getSocketFactory()
                        .createSocket("localhost", serving.process().port())) {
            ((SSLSocket) socket).startHandshake();
            return true;
        } catch (SSLHandshakeException e) { // another certificate
            return false;
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void newFilesAreUsedWithoutARestart() throws Exception {
        Path mount = Files.createDirectory(directory.resolve("mount"));
        TestCertificate first =
                TestCertificate.make(Files.createDirectory(mount.resolve("..1")), "EC", 3);
        TestCertificate second =
                TestCertificate.make(Files.createDirectory(mount.resolve("..2")), "RSA", 90);
        Path mixed = Files.createDirectory(mount.resolve("..mixed"));
        Files.copy(second.certificate(), mixed.resolve("certificate.pem"));
        Files.copy(first.key(), mixed.resolve("key.pem"));
        Path broken = Files.createDirectory(mount.resolve("..broken"));
        Files.copy(first.key(), broken.resolve("key.pem"));
        Files.writeString(
                broken.resolve("certificate.pem"),
                Files.readString(second.certificate()).substring(0, 200));
        Path chain =
                Files.createSymbolicLink(mount.resolve("crt"), Path.of("..data/certificate.pem"));
        Path key = Files.createSymbolicLink(mount.resolve("key"), Path.of("..data/key.pem"));
        show(mount, Path.of("..1"));
        String limit = "\nserving.head-timeout: 500ms";
        try (RunningServing serving = RunningServing.start(kafka, files(chain, key) + limit)) {
            requireSilentClosed(serving);
            assertThat(serves(serving, first)).isTrue();
            assertThat(expiry(serving)).isEqualTo(first.expiry());
            for (String unusable : List.of("..mixed", "..broken")) {
                int logged = count(serving.log(), "certificate-unusable");
                show(mount, Path.of(unusable));
                RunningServing.await(
                        "a line about " + unusable,
                        () -> count(serving.log(), "certificate-unusable") > logged);
                assertThat(serves(serving, first)).isTrue();
                assertThat(expiry(serving)).isEqualTo(first.expiry());
            }
            show(mount, Path.of("..2"));
            RunningServing.await("the new certificate", () -> serves(serving, second));
            RunningServing.await(
                    "its line in the log", () -> serving.log().contains("certificate-read"));
            assertThat(expiry(serving)).isEqualTo(second.expiry());
            assertThat(serves(serving, first)).isFalse();
            assertThat(count(serving.log(), "certificate-read")).isEqualTo(1);
            assertThat(count(serving.log(), "certificate-unusable")).isEqualTo(2);
            requireSilentClosed(serving);
        }
    }

    /** Fails if the server waits for a handshake as long as by default, for ten seconds. */
    private static void requireSilentClosed(RunningServing serving) throws IOException {
        try (Socket silent = new Socket("localhost", serving.process().port())) {
            silent.setSoTimeout(7_000);
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    /** What the server sends on a new connection after these bytes, until it closes it. */
    private static byte[] answer(RunningServing serving, byte[] bytes) throws IOException {
        try (Socket socket = new Socket("localhost", serving.process().port())) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(bytes);
            return socket.getInputStream().readNBytes(5);
        }
    }

    /** The first message of a TLS client, which offers usual ciphers up to a version. */
    private static byte[] clientHello(int minorVersion) {
        String random = "00".repeat(32);
        String ciphers = "c02bc009c02fc013009c002f";
        String extensions =
                "000a00040002"
                        + "0017" // one elliptic curve
                        + "000b00020100" // and how its points are written
                        + "000d000a0008"
                        + "0403040102030201"; // signatures
        String hello =
                "03%02x%s00%04x%s0100%04x%s"
                        .formatted(
                                minorVersion,
                                random,
                                ciphers.length() / 2,
                                ciphers,
                                extensions.length() / 2,
                                extensions);
        String message = "01%06x%s".formatted(hello.length() / 2, hello);
        return HexFormat.of().parseHex("160301%04x%s".formatted(message.length() / 2, message));
    }

    @Test
    void oldVersionsOfTlsAreRefused() throws Exception {
        try (RunningServing serving =
                RunningServing.start(kafka, files(certificate.certificate(), certificate.key()))) {
            byte handshake = 0x16;
            byte alert = 0x15;
            assertThat(answer(serving, clientHello(3))).as("1.2").startsWith(handshake, 3, 3);
            assertThat(answer(serving, clientHello(2))).as("1.1").startsWith(alert);
            assertThat(answer(serving, clientHello(1))).as("1.0").startsWith(alert);
            assertThat(answer(serving, clientHello(0))).as("SSL 3").startsWith(alert);
            try (SSLSocket socket =
                    (SSLSocket)
                            certificate
                                    .trust()
                                    .getSocketFactory()
                                    .createSocket("localhost", serving.process().port())) {
                socket.startHandshake();
                assertThat(socket.getSession().getProtocol()).isEqualTo("TLSv1.3");
            }
        }
    }

    @Test
    void nothingIsAnsweredWithoutTls() throws Exception {
        try (RunningServing serving =
                RunningServing.start(kafka, files(certificate.certificate(), certificate.key()))) {
            for (String request :
                    List.of(
                            "GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n",
                            "GET /openapi.yaml HTTP/1.0\r\n\r\n",
                            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")) {
                byte[] answer = answer(serving, request.getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(answer, StandardCharsets.ISO_8859_1))
                        .as(request)
                        .doesNotContain("HTTP");
            }
            assertThat(serves(serving, certificate)).isTrue();
        }
    }

    private static int count(String log, String event) {
        return log.split(event, -1).length - 1;
    }

    private static double expiry(RunningServing serving) {
        return serving.metrics()
                .lines()
                .filter(it -> it.startsWith("counterflow_tls_certificate_expiry_seconds "))
                .mapToDouble(it -> Double.parseDouble(it.substring(it.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void tokensWithoutTlsAreReportedAtTheStart() throws Exception {
        Path tokens =
                Files.writeString(
                        directory.resolve("tokens"),
                        "app rank sha256:" + TokenFile.hash("secret") + "\n");
        String open = "serving.host: 0.0.0.0\nserving.tokens-file: " + tokens + "\n";
        try (RunningServing plain = RunningServing.start(kafka, open)) {
            assertThat(plain.log()).contains("tokens-without-tls").contains("0.0.0.0");
        }
        try (RunningServing secured =
                RunningServing.start(
                        kafka, open + files(certificate.certificate(), certificate.key()))) {
            assertThat(secured.log()).doesNotContain("tokens-without-tls");
        }
        try (RunningServing local = RunningServing.start(kafka, "serving.tokens-file: " + tokens)) {
            assertThat(local.log()).doesNotContain("tokens-without-tls");
        }
    }

    @Test
    void invalidFilesAreReportedAtTheStart() throws Exception {
        Path missing = directory.resolve("missing.pem");
        Path broken = Files.writeString(directory.resolve("broken.pem"), "no key in here\n");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start(certificate.certificate(), missing))
                .withMessageContaining("serving.tls.key-file")
                .withMessageContaining("missing.pem");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start(missing, certificate.key()))
                .withMessageContaining("serving.tls.certificate-file");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start(certificate.certificate(), broken))
                .withMessageContaining("serving.tls.key-file")
                .withMessageContaining("PEM");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start(broken, certificate.key()))
                .withMessageContaining("serving.tls.certificate-file")
                .withMessageContaining("PEM");
    }

    private static void start(Path chain, Path key) throws IOException {
        RunningServing.start(kafka, files(chain, key)).close();
    }
}
