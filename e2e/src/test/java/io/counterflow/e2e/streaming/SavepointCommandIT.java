package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.job.StoredState;
import io.counterflow.schemas.record.JournalKindRecord;
import io.counterflow.schemas.record.JournalRecord;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.core.execution.SavepointFormatType;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A loop is deleted from the stored state of the job, and the job continues with the others. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class SavepointCommandIT {

    private static final RecordedTraffic TRAFFIC = new RecordedTraffic();
    private static final String DELETED = "offers";

    @TempDir private Path directory;

    /** How the job stores its state. */
    private enum Stored {
        NATIVE_SAVEPOINT("rocksdb"),
        CHECKPOINT("rocksdb"),
        HEAP_SAVEPOINT("hashmap");

        private final String backend;

        Stored(String backend) {
            this.backend = backend;
        }

        /** Stops a job, and returns the path of its state. */
        String stop(StreamRun run) throws Exception {
            if (this == CHECKPOINT) {
                run.cancel();
                return new StoredState(run.config().run().checkpoints()).newest().orElseThrow();
            }
            return run.stop(SavepointFormatType.NATIVE);
        }

        /** The directory of its files: checkpoints share some. */
        Path files(String state) {
            Path path = Path.of(URI.create(state));
            return this == CHECKPOINT ? path.resolveSibling("") : path;
        }
    }

    @ParameterizedTest
    @EnumSource
    void theJobContinuesWithTheOtherLoops(Stored stored, SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        List<RecordedTraffic.Sent> records = TRAFFIC.inOrder();
        String settings = "job.state-backend: " + stored.backend;
        try (StreamRun run = new StreamRun(flink, kafka, directory, "savepoint", 2, settings)) {
            run.start();
            run.send(records.subList(0, 1_200));
            run.awaitThat("snapshots", () -> run.results().versions().size() > 5);
            String savepoint = stored.stop(run);
            Map<String, Long> before = last(run.journal());
            assertThat(before).containsOnlyKeys(RecordedTraffic.LOOPS);

            Path repaired = directory.resolve("repaired");
            delete(savepoint, repaired);
            assertThat(listed(savepoint)).isEqualTo(before);
            assertShown(savepoint, before.getOrDefault("articles", 0L));
            deleteFiles(stored.files(savepoint));
            Map<String, Long> others = new TreeMap<>(before);
            others.remove(DELETED);
            assertThat(listed(repaired.toString())).isEqualTo(others);

            run.start(repaired.toUri().toString());
            run.send(records.subList(1_200, records.size()));
            run.heartbeat(RecordedTraffic.end());
            run.awaitThat("the examples of the other loops", () -> othersAreComplete(run));
            run.cancel();
            JournalLog journal = run.journal();
            journal.assertGapless();
            assertThat(last(journal)).containsEntry(DELETED, before.get(DELETED));
            StreamResults live = run.results();
            StreamResults replayed = run.replay(2);
            assertThat(replayed.snapshots()).isEqualTo(live.snapshots());
            assertThat(replayed.rollouts()).isEqualTo(live.rollouts());
            assertThat(replayed.windows()).isEqualTo(live.windows());
        }
    }

    private static boolean othersAreComplete(StreamRun run) {
        long examples =
                run.journal().entries().stream()
                        .filter(it -> it.getKind() == JournalKindRecord.EXAMPLE)
                        .filter(it -> !it.getLoop().equals(DELETED))
                        .count();
        return examples == RecordedTraffic.DECISIONS * 2L / RecordedTraffic.LOOPS.size();
    }

    private static void delete(String savepoint, Path output) throws Exception {
        JsonNode result =
                OfflineCommands.json("savepoint", "delete", savepoint, DELETED, "--output", output);
        assertThat(result.get("deleted")).hasSize(1);
        assertThat(result.get("output").asText()).isEqualTo(output.toString());
    }

    private static void assertShown(String savepoint, long sequence) throws Exception {
        JsonNode shown = OfflineCommands.json("savepoint", "show", savepoint, "articles");
        assertThat(shown.get("status").asText()).isEqualTo("learning");
        assertThat(shown.get("specVersion").asLong()).isEqualTo(1);
        assertThat(shown.get("sequence").asLong()).isEqualTo(sequence);
        assertThat(shown.get("stage").asText()).isEqualTo("full");
        assertThat(shown.get("versions")).contains(shown.get("priorVersion"));
        assertThat(shown.get("buffered").asInt()).isPositive();
        assertThat(shown.get("openPanes").asInt()).isPositive();
        assertThat(shown.get("nextWindowEnd").asText()).startsWith("2026-01-01T00:");
    }

    /** The number of the last entry of each loop in a savepoint. */
    private static Map<String, Long> listed(String savepoint) throws Exception {
        Map<String, Long> sequences = new TreeMap<>();
        for (JsonNode loop : OfflineCommands.json("savepoint", "list", savepoint).get("loops")) {
            sequences.put(loop.get("loop").asText(), loop.get("sequence").asLong());
        }
        return sequences;
    }

    private static Map<String, Long> last(JournalLog journal) {
        Map<String, Long> sequences = new TreeMap<>();
        for (JournalRecord entry : journal.entries()) {
            sequences.merge(entry.getLoop(), entry.getSequence(), Math::max);
        }
        return sequences;
    }

    /** The new savepoint must not need the old one. */
    private static void deleteFiles(Path savepoint) throws Exception {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> walk = Files.walk(savepoint)) {
            walk.filter(Files::isRegularFile).forEach(files::add);
        }
        for (Path file : files) {
            Files.delete(file);
        }
    }
}
