package io.counterflow.cli.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Terminal;
import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.schemas.topics.KafkaConfig;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BrokerWaitIT {

    private static final Duration SILENCE = Duration.ofMillis(200);
    private static final Duration MAX_WAIT = Duration.ofSeconds(2);

    @TempDir private Path directory;

    private final StringWriter err = new StringWriter();
    private final Output output =
            new Output(
                    new Terminal(
                            new PrintWriter(new StringWriter()),
                            new PrintWriter(err, true),
                            false,
                            false,
                            System::nanoTime));

    @Test
    void aBrokerThatIsAwayIsReportedBeforeTheCommandFails() {
        KafkaConfig away = new KafkaConfig("127.0.0.1:1", Map.of());
        assertThatThrownBy(() -> BrokerWait.await(away, output, SILENCE, MAX_WAIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Kafka at 127.0.0.1:1: no broker has answered within 2 seconds");
        assertThat(err.toString())
                .startsWith("connecting to Kafka at 127.0.0.1:1\n")
                .contains(
                        "no broker has answered at 127.0.0.1:1 yet; trying for 2 seconds. Is kafka.bootstrap-servers right?");
    }

    @Test
    void aBrokerThatAnswersIsNotWaitedFor() throws Exception {
        try (EmbeddedKafka broker = EmbeddedKafka.start(directory, EmbeddedKafka.FREE_PORT)) {
            KafkaConfig kafka = new KafkaConfig(broker.bootstrapServers(), Map.of());
            BrokerWait.await(kafka, output, Duration.ofSeconds(30), Duration.ofSeconds(30));
        }
        assertThat(err.toString()).startsWith("connecting").doesNotContain("no broker");
    }
}
