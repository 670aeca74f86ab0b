package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.deletion;
import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import java.io.File;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of large snapshots live as long as a committed record may point to them. */
final class SnapshotFilesIT {

    @TempDir private Path directory;

    private LoopHarness open(@Nullable OperatorSubtaskState state) throws Exception {
        return LoopHarness.openWithFiles(
                LoopOperatorLawTest.FEW_VERSIONS,
                LoopOperator.Source.LIVE,
                directory.resolve("snapshots"),
                state);
    }

    /** The versions that have a file. Unlike a walk, this may be while files are deleted. */
    private List<Long> versions() {
        List<Long> versions = new ArrayList<>();
        for (File loop : list(directory.resolve("snapshots").toFile())) {
            for (File file : list(loop)) {
                versions.add(Long.valueOf(file.getName().replaceFirst("-.*", "")));
            }
        }
        Collections.sort(versions);
        return versions;
    }

    private static List<File> list(File directory) {
        File @Nullable [] files = directory.listFiles();
        return files == null ? List.of() : List.of(files);
    }

    /** Files are deleted in the background. */
    private void awaitVersions(Long... versions) {
        long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!versions().equals(List.of(versions)) && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        assertThat(versions()).containsExactly(versions);
    }

    /** Each 40 examples are a version, and in immediate mode the newest two are in the rollout. */
    private static List<LoopEvent> untilVersion(int from, int to) {
        return examples("home", 40 * from, 40 * to);
    }

    @Test
    void aFileIsDeletedAfterTheCheckpointOfItsTombstone() throws Exception {
        try (LoopHarness harness = open(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(untilVersion(0, 5));
            harness.checkpoint(1);
            assertThat(versions()).containsExactly(1L, 2L, 3L, 4L, 5L);
            harness.take(untilVersion(5, 6)); // forgets version 3, but not in this checkpoint
            harness.completeCheckpoint(1);
            harness.checkpoint(2);
            awaitVersions(3L, 4L, 5L, 6L);
            harness.completeCheckpoint(2);
            awaitVersions(4L, 5L, 6L);
            assertThat(harness.count("deleted_snapshot_files")).isBetween(2L, 3L);
        }
    }

    @Test
    void aCheckpointThatIsNotCompleteDeletesNothing() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = open(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(untilVersion(0, 3));
            state = harness.checkpoint(1);
            harness.completeCheckpoint(1);
            harness.take(untilVersion(3, 5));
            harness.checkpoint(2); // fails
        }
        try (LoopHarness harness = open(state)) {
            assertThat(versions()).containsExactly(1L, 2L, 3L, 4L, 5L);
            harness.take(untilVersion(3, 4));
            harness.checkpoint(3);
            for (PolicySnapshotRecord published : harness.results().snapshots()) {
                assertThat(Path.of(URI.create(published.getPointer().getUri()))).exists();
            }
            harness.completeCheckpoint(3);
            awaitVersions(2L, 3L, 4L, 5L); // nobody knows of 5, which was not published
        }
    }

    /** The restored checkpoint contains the tombstones, so its files are not needed. */
    @Test
    void aRestartBeforeTheDeletionDeletesAfterTheNextCheckpoint() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = open(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(untilVersion(0, 5));
            state = harness.checkpoint(1);
        }
        try (LoopHarness harness = open(state)) {
            harness.checkpoint(2);
            assertThat(versions()).hasSize(5);
            harness.completeCheckpoint(2);
            awaitVersions(3L, 4L, 5L);
        }
    }

    @Test
    void aDeletedLoopLeavesNoFiles() throws Exception {
        try (LoopHarness harness = open(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(untilVersion(0, 4));
            harness.take(deletion("home", 9_000));
            harness.take(specEvent("home", 1, 10_000));
            harness.take(untilVersion(4, 5)); // version 1 of another loop
            harness.checkpoint(1);
            harness.completeCheckpoint(1);
            awaitVersions(1L);
            String kept = harness.results().snapshots().get(4).getPointer().getUri();
            assertThat(Path.of(URI.create(kept))).exists();
        }
    }

    @Test
    void aReplayGivesTheSameRecordsAndDeletesNothing() throws Exception {
        List<LoopEvent> journal;
        LoopHarness.LoopResults live;
        try (LoopHarness harness = open(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.take(untilVersion(0, 5));
            harness.checkpoint(1);
            journal = harness.journal();
            live = harness.results();
        }
        try (LoopHarness harness =
                LoopHarness.openWithFiles(
                        LoopOperatorLawTest.FEW_VERSIONS,
                        LoopOperator.Source.JOURNAL,
                        directory.resolve("snapshots"),
                        null)) {
            harness.take(journal);
            harness.checkpoint(1);
            harness.completeCheckpoint(1);
            OperatorSubtaskState state = harness.checkpoint(2);
            assertThat(state).isNotNull();
            assertThat(harness.results()).isEqualTo(live);
            assertThat(versions()).hasSize(5);
        }
    }
}
