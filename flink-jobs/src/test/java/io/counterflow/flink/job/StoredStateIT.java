package io.counterflow.flink.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterflow.flink.config.RunSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An IT because it looks at files. */
final class StoredStateIT {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    @TempDir private Path directory;

    private StoredState state() {
        return new StoredState(
                new RunSettings.Checkpoints(
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        1,
                        directory.resolve("checkpoints").toUri().toString(),
                        directory.resolve("savepoints").toUri().toString()));
    }

    private void store(String path, int secondsLater) throws IOException {
        Path metadata = directory.resolve(path).resolve("_metadata");
        Files.createDirectories(metadata.getParent());
        Files.writeString(metadata, "x");
        Files.setLastModifiedTime(metadata, FileTime.from(START.plusSeconds(secondsLater)));
    }

    @Test
    void aDeploymentThatNeverRanHasNone() throws Exception {
        assertThat(state().newest()).isEmpty();
    }

    @Test
    void theNewestIsTakenWhicheverJobAndKindItIsOf() throws Exception {
        store("checkpoints/job-1/chk-9", 1);
        store("checkpoints/job-2/chk-2", 5);
        store("savepoints/savepoint-1", 3);
        assertThat(state().newest().orElseThrow()).endsWith("checkpoints/job-2/chk-2");
        store("savepoints/savepoint-2", 7);
        assertThat(state().newest().orElseThrow()).endsWith("savepoints/savepoint-2");
    }

    @Test
    void onACoarseClockTheHigherNumberIsTheNewer() throws Exception {
        store("checkpoints/job-1/chk-9", 1);
        store("checkpoints/job-1/chk-10", 1);
        assertThat(state().newest().orElseThrow()).endsWith("chk-10");
    }

    @Test
    void aCheckpointThatIsNotWholeIsPassedOver() throws Exception {
        store("checkpoints/job-1/chk-9", 1);
        Files.createDirectories(directory.resolve("checkpoints/job-1/chk-10"));
        Files.createDirectories(directory.resolve("checkpoints/job-1/shared"));
        assertThat(state().newest().orElseThrow()).endsWith("chk-9");
    }

    @Test
    void damagedMetadataIsNamedWithWhatToDo() throws Exception {
        store("checkpoints/job-1/chk-9", 1);
        assertThatExceptionOfType(IOException.class)
                .isThrownBy(() -> state().newestReadable())
                .withMessageContaining("chk-9/_metadata is damaged")
                .withMessageContaining("--from-savepoint");
        assertThat(new StoredState(emptyDeployment()).newestReadable()).isEmpty();
    }

    private RunSettings.Checkpoints emptyDeployment() {
        return new RunSettings.Checkpoints(
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                1,
                directory.resolve("none").toUri().toString(),
                directory.resolve("nothing").toUri().toString());
    }
}
