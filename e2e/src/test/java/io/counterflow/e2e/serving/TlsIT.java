package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.ProblemResponseException;
import io.counterflow.client.Retries;
import io.counterflow.client.Reward;
import io.counterflow.e2e.shared.SharedKafka;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
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
