package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.embedded.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of docs/serving.md print the output that the page shows. With {@code
 * -Dcounterflow.writeDocs=true} the page is written again instead of compared.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class ServingWalkThroughIT {

    private static final Path PAGE = Path.of("..", "docs", "serving.md");
    private static final Pattern CONFIG = Pattern.compile("```yaml\\R(.*?)```", Pattern.DOTALL);

    /** Random ids and times differ in every run. */
    private static final Pattern VARYING =
            Pattern.compile(
                    "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z");

    @TempDir private Path directory;

    private @Nullable RunningServing withTokens;
    private @Nullable RunningServing withTls;

    @Test
    void everyCommandPrintsWhatThePageShows() throws Exception {
        for (String tool : List.of("bash", "curl", "openssl", "sha256sum", "grep", "cut")) {
            assumeThat(has(tool)).as("the page uses %s, which is not here", tool).isTrue();
        }
        String page = Files.readString(PAGE);
        Matcher config = CONFIG.matcher(page);
        assertThat(config.find()).isTrue();
        Path file = Files.writeString(directory.resolve("counterflow.yaml"), config.group(1));
        try (EmbeddedKafka kafka =
                        EmbeddedKafka.start(directory.resolve("k"), EmbeddedKafka.FREE_PORT);
                LaunchedServing open =
                        LaunchedServing.start(
                                directory,
                                file,
                                Map.of(
                                        "COUNTERFLOW_KAFKA_BOOTSTRAP_SERVERS",
                                        kafka.bootstrapServers(),
                                        "COUNTERFLOW_SERVING_PORT",
                                        "0",
                                        "COUNTERFLOW_SERVING_MANAGEMENT_PORT",
                                        "0"));
                BashSession bash = new BashSession(directory)) {
            int[] ports = open.ports();
            String now =
                    ConsoleBlocks.typed(
                            page,
                            (section, command) ->
                                    stable(bash.run(aimed(section, command, ports, kafka))));
            if (Boolean.getBoolean("counterflow.writeDocs")) {
                Files.writeString(PAGE, now);
            }
            assertThat(now).isEqualTo(Files.readString(PAGE));
            open.terminate();
            assertThat(open.exitCode()).as(open.err()).isEqualTo(143);
            assertThat(open.err()).contains("\"event\":\"stopped\"").doesNotContain("warn");
        } finally {
            close(withTokens);
            close(withTls);
        }
    }

    private static boolean has(String tool) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", "command -v " + tool).start().waitFor() == 0;
    }

    private static String stable(String printed) {
        return VARYING.matcher(printed).replaceAll("…");
    }

    /** The command with the ports of this test. */
    private String aimed(String section, String command, int[] ports, EmbeddedKafka kafka)
            throws Exception {
        String aimed = command.replace("127.0.0.1:9090", "127.0.0.1:" + ports[1]);
        if (section.equals("Tokens") && command.contains("127.0.0.1:8080")) {
            if (withTokens == null) {
                withTokens =
                        RunningServing.start(
                                kafka.bootstrapServers(),
                                "serving.tokens-file: " + directory.resolve("tokens"));
            }
            return aimed.replace("127.0.0.1:8080", "127.0.0.1:" + withTokens.process().port());
        }
        if (command.contains("localhost:8443")) {
            if (withTls == null) {
                TestCertificate made = TestCertificate.make(directory);
                withTls =
                        RunningServing.start(
                                kafka.bootstrapServers(),
                                "serving.tls.certificate-file: %s\nserving.tls.key-file: %s"
                                        .formatted(made.certificate(), made.key()));
            }
            return aimed.replace("localhost:8443", "localhost:" + withTls.process().port());
        }
        return aimed.replace("127.0.0.1:8080", "127.0.0.1:" + ports[0]);
    }

    private static void close(@Nullable RunningServing serving) {
        if (serving != null) {
            serving.close();
        }
    }
}
