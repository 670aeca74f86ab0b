package io.counterflow.cli.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.flink.config.JobConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StateLockIT {

    @TempDir private Path temp;

    private String yaml(String name) {
        return "job.name: %s%nstorage.directory: %s%n"
                .formatted(name, temp.resolve("data").toAbsolutePath());
    }

    private JobConfig config(String name) {
        return JobConfig.parse(yaml(name), Map.of());
    }

    @Test
    void aSecondJobOnTheSameStateIsRefusedBeforeItLooksForKafka() throws Exception {
        try (StateLock first = StateLock.take(config("shop"))) {
            assertThat(first).isNotNull();
            Path file = Files.writeString(temp.resolve("c.yaml"), yaml("shop"));
            OfflineCommands commands = new OfflineCommands();
            assertThat(commands.run("job", "--config", file, "--local"))
                    .isEqualTo(ExitCode.BAD_INPUT);
            assertThat(commands.err())
                    .contains("another job with job.name shop uses " + temp.resolve("data"));
            StateLock.take(config("other")).close(); // deployments may share a directory
        }
        StateLock.take(config("shop")).close();
    }

    @Test
    void aDirectoryElsewhereIsNotLocked() throws Exception {
        JobConfig remote = JobConfig.parse("storage.directory: s3://bucket/data", Map.of());
        try (StateLock first = StateLock.take(remote);
                StateLock second = StateLock.take(remote)) {
            assertThat(first).isNotSameAs(second);
        }
    }

    @Test
    void theReasonNamesWhatToDo() throws Exception {
        try (StateLock first = StateLock.take(config("shop"))) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> StateLock.take(config("shop")))
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContaining("storage.directory");
        }
    }
}
