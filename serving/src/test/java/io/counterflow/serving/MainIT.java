package io.counterflow.serving;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class MainIT {

    @TempDir private Path directory;
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(Map<String, String> environment, String... args) throws InterruptedException {
        return Main.run(args, environment, new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String message() {
        return err.toString(StandardCharsets.UTF_8).strip();
    }

    private Path file(String yaml) throws IOException {
        return Files.writeString(directory.resolve("serving.yaml"), yaml);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "--config", "serving.yaml", "--config a b", "--help x"})
    void otherArgumentsShowTheUsage(String args) throws Exception {
        assertThat(run(Map.of(), args.isEmpty() ? new String[0] : args.split(" "))).isEqualTo(2);
        assertThat(message()).isEqualTo("counterflow-serving: usage: --config FILE");
    }

    @Test
    void aMissingFileIsNamed() throws Exception {
        Path missing = directory.resolve("missing.yaml");
        assertThat(run(Map.of(), "--config", missing.toString())).isEqualTo(2);
        assertThat(message()).isEqualTo("counterflow-serving: no such file: " + missing);
    }

    @Test
    void aFileThatIsNoTextIsNamed() throws Exception {
        Path file = Files.write(directory.resolve("serving.yaml"), new byte[] {(byte) 0xC3, 0x28});
        assertThat(run(Map.of(), "--config", file.toString())).isEqualTo(2);
        assertThat(message()).contains(file.toString());
    }

    @Test
    void aDirectoryIsNoFile() throws Exception {
        assertThat(run(Map.of(), "--config", directory.toString())).isEqualTo(2);
        assertThat(message()).contains("no such file: " + directory);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    serving.port: 70000                     | serving.port
                    serving.prot: 80                        | unknown key serving.prot
                    serving.threads: many                   | serving.threads
                    serving.host: 0.0.0.0                   | serving.tokens-file must be given
                    'serving.tokens-file: /nonexistent/t'   | /nonexistent/t
                    'serving.port: ['                       | serving.yaml
                    """)
    void aWrongConfigurationIsNamedWithItsFile(String yaml, String detail) throws Exception {
        Path file = file(yaml);
        int status = run(Map.of(), "--config", file.toString());
        assertThat(message()).contains("counterflow-serving: ").contains(detail);
        assertThat(status).as(message()).isEqualTo(2);
    }

    @Test
    void theEnvironmentOverridesTheFile() throws Exception {
        Path file = file("serving.port: 0\n");
        assertThat(run(Map.of("COUNTERFLOW_SERVING_PORT", "99999"), "--config", file.toString()))
                .isEqualTo(2);
        assertThat(message()).contains("serving.port");
    }

    @Test
    void aTokenFileThatCannotBeUsedIsNamedWithItsLine() throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "app rank secret-token\n");
        Path file = file("serving.tokens-file: " + tokens + "\n");
        assertThat(run(Map.of(), "--config", file.toString())).isEqualTo(2);
        assertThat(message())
                .contains("serving.tokens-file " + tokens)
                .contains("line 1")
                .doesNotContain("secret-token");
    }

    @Test
    void aCertificateThatCannotBeReadIsNamed() throws Exception {
        Path file =
                file(
                        "serving.tls.certificate-file: %s/c.pem\nserving.tls.key-file: %s/k.pem\n"
                                .formatted(directory, directory));
        assertThat(run(Map.of(), "--config", file.toString())).isEqualTo(2);
        assertThat(message()).contains("serving.tls.certificate-file");
    }

    @Test
    void aConnectionThatCannotBeConfiguredFailsAtOnce() throws Exception {
        Path file =
                file(
                        """
                        serving.port: 0
                        serving.management.port: 0
                        kafka.client.security.protocol: NONSENSE
                        """);
        assertThat(run(Map.of(), "--config", file.toString())).isEqualTo(1);
        assertThat(message()).contains("Kafka at localhost:9092: ");
    }
}
