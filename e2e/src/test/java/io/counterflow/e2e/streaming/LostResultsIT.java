package io.counterflow.e2e.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.flink.job.StoredState;
import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job whose state and results do not belong together stops, and says what to do. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class LostResultsIT {

    @TempDir private static Path directory;

    private final RecordedTraffic traffic = new RecordedTraffic();

    /** Learns from some decisions and stops; the state stays. */
    private String learn(StreamRun run) throws Exception {
        List<RecordedTraffic.Sent> records = traffic.inOrder();
        run.send(records.subList(0, 600));
        run.start();
        run.awaitExamples(100);
        run.cancel();
        return new StoredState(run.config().run().checkpoints()).newest().orElseThrow();
    }

    private static String failure(StreamRun run) throws Exception {
        try {
            run.job().getJobExecutionResult().get(2, TimeUnit.MINUTES);
            throw new AssertionError("the job must not end without a failure");
        } catch (ExecutionException e) {
            Throwable root = e;
            while (root.getCause() != null) {
                root = root.getCause();
            }
            return ExceptionUtils.stringifyException(root);
        }
    }

    @Test
    void aJobThatHasLostItsStateDoesNotStartOver(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        try (StreamRun run = new StreamRun(flink, kafka, directory, "stateless", 1, "")) {
            learn(run);
            int entries = run.read(Topic.JOURNAL).size();
            run.start(); // without its state
            assertThat(failure(run))
                    .contains("starts without a stored state, but has written results")
                    .contains("--from-savepoint");
            assertThat(run.read(Topic.JOURNAL)).hasSize(entries);
        }
    }

    @Test
    void aLostTransactionStopsTheJob(SharedKafka kafka, EmbeddedFlink flink) throws Exception {
        try (StreamRun run = new StreamRun(flink, kafka, directory, "lost", 1, "")) {
            String state = learn(run);
            // As if the newest transaction had not been committed.
            mark(run, newestMarker(run) - 1);
            run.start(state);
            assertThat(failure(run)).contains("were lost: Kafka has aborted their transactions");
        }
    }

    @Test
    void aStateThatIsOlderThanTheJournalStopsTheJob(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        try (StreamRun run = new StreamRun(flink, kafka, directory, "older", 1, "")) {
            String state = learn(run);
            mark(run, newestMarker(run) + 1);
            run.start(state);
            assertThat(failure(run)).contains("is older than the results in the journal");
        }
    }

    /** What it wrote after its last checkpoint belongs to the savepoint. */
    @Test
    void aDrainedJobContinuesFromItsSavepointOnly(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        try (StreamRun run = new StreamRun(flink, kafka, directory, "drained", 1, "")) {
            String older = learn(run);
            long learned = run.journal().examples();
            List<RecordedTraffic.Sent> records = traffic.inOrder();
            run.start(older);
            run.send(records.subList(600, 1_200));
            run.awaitExamples(learned + 1);
            String savepoint = run.drain();
            run.start(older);
            assertThat(failure(run)).contains("is older than the results in the journal");
            run.start(savepoint);
            run.send(records.subList(1_200, records.size()));
            run.heartbeat(RecordedTraffic.end());
            run.awaitExamples(RecordedTraffic.DECISIONS);
            run.journal().assertGapless();
            assertThat(run.journal().rewards()).hasSize(RecordedTraffic.DECISIONS);
        }
    }

    private static long newestMarker(StreamRun run) throws Exception {
        WireCodec<CheckpointMarkerRecord> codec = WireCodec.of(CheckpointMarkerRecord.class);
        Optional<Long> newest = Optional.empty();
        for (byte[] value : run.read(Topic.CHECKPOINTS)) {
            newest = Optional.of(codec.decode(value).getCheckpoint());
        }
        return newest.orElseThrow();
    }

    private static void mark(StreamRun run, long checkpoint) {
        String name = run.config().name();
        run.send(
                Topic.CHECKPOINTS,
                name + "/0",
                WireCodec.of(CheckpointMarkerRecord.class)
                        .encode(new CheckpointMarkerRecord(name, 0, checkpoint)));
    }
}
