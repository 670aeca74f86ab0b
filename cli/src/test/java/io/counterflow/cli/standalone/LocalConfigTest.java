package io.counterflow.cli.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.flink.config.JobConfig;
import io.counterflow.schemas.config.Options;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LocalConfigTest {

    private static final Path STORAGE = Path.of("state");
    private static final String BROKER = "127.0.0.1:9";

    @Test
    void theFileOverridesTheDefaultsAndTheEnvironmentOverridesTheFile() {
        LocalConfig config =
                LocalConfig.parse(
                        "checkpoint:\n  interval: 7s\nserving.port: 1\nserving.threads: 3",
                        Map.of("COUNTERFLOW_SERVING_PORT", "2"),
                        STORAGE);
        JobConfig job = config.job(BROKER);
        assertThat(job.run().checkpoints().interval()).isEqualTo(Duration.ofSeconds(7));
        assertThat(job.run().givenParallelism()).hasValue(1);
        assertThat(job.kafka().bootstrapServers()).isEqualTo(BROKER);
        assertThat(config.serving(BROKER).threads()).isEqualTo(3);
        assertThat(config.serving(BROKER).api().port()).isEqualTo(2);
        LocalConfig asked = config.with(Options.PORT, "3");
        assertThat(asked.serving(BROKER).api().port()).isEqualTo(3);
        assertThat(asked.serving(BROKER).kafka().bootstrapServers()).isEqualTo(BROKER);
    }

    @Test
    void anotherBrokerOrDirectoryIsRefused() {
        assertThatThrownBy(() -> LocalConfig.parse("storage.directory: x", Map.of(), STORAGE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("storage.directory must not be given");
        assertThatThrownBy(
                        () ->
                                LocalConfig.parse(
                                        "",
                                        Map.of("COUNTERFLOW_KAFKA_BOOTSTRAP_SERVERS", "k:1"),
                                        STORAGE))
                .hasMessageStartingWith("COUNTERFLOW_KAFKA_BOOTSTRAP_SERVERS must not be given");
    }

    @Test
    void unknownKeysOfBothProcessesAreRefused() {
        assertThatThrownBy(() -> LocalConfig.parse("job.nam: x", Map.of(), STORAGE))
                .hasMessageContaining("did you mean job.name?");
        assertThatThrownBy(() -> LocalConfig.parse("serving.prot: 1", Map.of(), STORAGE))
                .hasMessageContaining("did you mean serving.port?");
    }
}
