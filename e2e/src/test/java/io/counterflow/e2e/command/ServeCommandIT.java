package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.e2e.shared.SharedKafka;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The messages of a server that does not start. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ServeCommandIT {

    @TempDir private static Path directory;
    private static SharedKafka kafka;

    @BeforeAll
    static void start(SharedKafka shared) {
        kafka = shared;
    }

    private record Ended(int exitCode, String err) {}

    private static Ended serve(String config) throws IOException {
        Path file = Files.writeString(directory.resolve("counterflow.yaml"), config);
        OfflineCommands commands = new OfflineCommands();
        return new Ended(commands.run("serve", "--config", file), commands.err());
    }

    private static Ended serveWithKafka(String more) throws IOException {
        return serve(
                """
                %s
                serving.port: 0
                serving.management.port: 0
                %s
                """
                        .formatted(kafka.settings(), more));
    }

    @Test
    void aPortThatIsInUseIsReportedWithItsKey() throws Exception {
        try (ServerSocket taken =
                new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            Ended ended =
                    serve(
                            """
                            %s
                            serving.port: 0
                            serving.management.port: %d
                            """
                                    .formatted(kafka.settings(), taken.getLocalPort()));
            assertThat(ended.exitCode()).as(ended.err()).isEqualTo(ExitCode.FAILED);
            assertThat(ended.err())
                    .contains(
                            "serving.management.port %d cannot be opened on 127.0.0.1"
                                    .formatted(taken.getLocalPort()))
                    .containsIgnoringCase("address already in use");
        }
    }

    @Test
    void invalidFilesOfTheConfigurationAreBadInput() throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "web-app rank\n");
        Ended ended = serveWithKafka("serving.tokens-file: " + tokens);
        assertThat(ended.exitCode()).as(ended.err()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(ended.err())
                .contains("counterflow.yaml: serving.tokens-file " + tokens + ", line 1: a token");
        Ended tls =
                serveWithKafka(
                        "serving.tls.certificate-file: nowhere.pem\nserving.tls.key-file: k.pem");
        assertThat(tls.exitCode()).as(tls.err()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(tls.err())
                .contains(
                        "serving.tls.certificate-file must be a file that can be read, got"
                                + " nowhere.pem");
    }

    @Test
    void anUnknownKeyIsBadInputWithASuggestion() throws Exception {
        Ended ended = serve("serving.prot: 8080");
        assertThat(ended.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(ended.err()).contains("unknown key serving.prot; did you mean serving.port?");
    }
}
