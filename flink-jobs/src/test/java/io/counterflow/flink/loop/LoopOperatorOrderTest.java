package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.command;
import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;

/** What came too late for a loop, and that a replay of the log of examples does the same. */
final class LoopOperatorOrderTest {

    private static final LoopEvent ODD =
            example(
                    "home",
                    "odd",
                    1_500,
                    new Context.Vector(DenseVector.of(1, 2)),
                    Choice.of(0, 0.5),
                    0,
                    1.0);

    @Test
    void aSpecBeforeAnExampleThatHadNoSpecIsLate() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(example("home", 0, 1_000));
            harness.watermark(2_000);
            harness.take(specEvent("home", 1, 500));
            LoopResults results = harness.results();
            assertThat(rules(results.deadLetters())).containsExactly("UNKNOWN_LOOP");
            assertThat(rules(results.late())).containsExactly("LATE");
            assertThat(results.rollouts()).isEmpty();
            state = harness.snapshot();
        }
        try (LoopHarness harness = restored(state)) {
            harness.take(specEvent("home", 1, 500));
            harness.take(specEvent("home", 2, 1_001));
            harness.watermark(2_000);
            assertThat(rules(harness.results().late())).containsExactly("LATE");
            assertThat(harness.results().kinds()).containsExactly("STARTED");
            harness.snapshot();
            // The loop and its first version; that events came before its spec matters no more.
            assertThat(harness.stateEntries()).isEqualTo(2);
        }
    }

    @Test
    void anEventThatWasRefusedHoldsItsPlaceInTheOrder() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 10)); // at 1,000 to 1,009 ms
            harness.take(ODD);
            harness.watermark(2_000);
            state = harness.snapshot();
        }
        try (LoopHarness harness = restored(state)) {
            harness.take(specEvent("home", 2, 1_499));
            harness.take(command("home", "c-1", 1_500, RolloutActionRecord.PAUSE, null, null));
            harness.take(ODD);
            harness.take(specEvent("home", 3, 1_501));
            harness.watermark(2_000);
            assertThat(rules(harness.results().late()))
                    .containsExactly("LATE", "LATE", "DUPLICATE");
            assertThat(harness.results().kinds()).containsExactly("SPEC_CHANGED");
        }
    }

    @Test
    void theLogOfExamplesHasWhatWasTakenOrRefusedButNotWhatWasLate() throws Exception {
        LoopEvent first = example("home", 1, 1_000);
        LoopEvent second = example("home", 2, 1_002);
        LoopEvent tooLate = example("home", 3, 1_001);
        LoopEvent unknown = example("nobody", 4, 1_000);
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(List.of(ODD, second, first, unknown));
            harness.watermark(2_000);
            harness.take(tooLate);
            harness.take(second);
            harness.take(command("home", "c-1", 2_000, RolloutActionRecord.PAUSE, null, null));
            LoopResults results = harness.results();
            assertThat(rules(results.late())).containsExactly("LATE", "LATE");
            assertThat(ids("home", harness)).containsExactly(first.id(), second.id(), ODD.id());
            assertThat(ids("nobody", harness)).containsExactly(unknown.id());
            assertThat(harness.examples().get(0).raw().value())
                    .as("the bytes that were learned from")
                    .isIn(first.raw().value(), unknown.raw().value());
        }
    }

    @Test
    void aReplayOfTheLogLearnsWhatWasLearnedAlthoughExamplesWereLate() throws Exception {
        List<LoopEvent> log = new ArrayList<>();
        log.add(specEvent("home", 1, 0));
        LoopResults live;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(log);
            harness.take(examples("home", 0, 50)); // at 1,000 to 1,049 ms
            harness.watermark(1_039);
            harness.take(example("home", 500, 1_020));
            harness.watermark(2_000);
            harness.take(examples("home", 1_000, 1_060));
            harness.end();
            live = harness.results();
            log.addAll(harness.examples());
        }
        assertThat(live.late()).hasSize(1);
        assertThat(live.snapshots()).hasSize(2);
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(log);
            harness.end();
            LoopResults replay = harness.results();
            assertThat(replay.late()).isEmpty();
            assertThat(replay.snapshots()).isEqualTo(live.snapshots());
            assertThat(replay.rollouts()).isEqualTo(live.rollouts());
        }
    }

    @Test
    void ofTwoSpecsOfOneVersionAndTimeTheOneThatLiesFirstCounts() throws Exception {
        LoopEvent first = at(21, specEvent("home", 1, 0, it -> it.setLearningRate(0.5)));
        LoopEvent second = at(22, specEvent("home", 1, 0, it -> it.setLearningRate(0.9)));
        List<PolicySnapshotRecord> expected =
                snapshots(LoopOperatorConfig.defaults(), first, second);
        assertThat(expected).hasSize(1);
        assertThat(snapshots(LoopOperatorConfig.defaults(), second, first)).isEqualTo(expected);
        // Each waits in state as soon as it comes.
        assertThat(snapshots(LoopOperatorLawTest.TINY, first, second)).isEqualTo(expected);

        OperatorSubtaskState state;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(first);
            state = harness.snapshot();
        }
        try (LoopHarness harness = restored(state)) {
            harness.take(second);
            harness.take(examples("home", 0, 40));
            harness.end();
            assertThat(harness.results().snapshots()).isEqualTo(expected);
            assertThat(harness.results().late())
                    .extracting(DeadLetterRecord::getOffset)
                    .containsExactly(22L);
        }
    }

    private static List<PolicySnapshotRecord> snapshots(
            LoopOperatorConfig config, LoopEvent... specs) throws Exception {
        try (LoopHarness harness = LoopHarness.open(config)) {
            harness.take(List.of(specs));
            harness.take(examples("home", 0, 40));
            harness.end();
            return harness.results().snapshots();
        }
    }

    private static LoopEvent at(long offset, LoopEvent event) {
        RawRecord raw = event.raw();
        return new LoopEvent(
                event.kind(),
                event.loop(),
                event.timeMicros(),
                event.id(),
                new RawRecord(
                        raw.topic(),
                        raw.partition(),
                        offset,
                        raw.timestampMs(),
                        raw.key(),
                        raw.value()));
    }

    private static List<String> ids(String loop, LoopHarness harness) {
        return harness.examples().stream()
                .filter(it -> it.loop().equals(loop))
                .map(LoopEvent::id)
                .toList();
    }

    private static LoopHarness restored(OperatorSubtaskState state) throws Exception {
        return LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state);
    }

    private static List<String> rules(List<DeadLetterRecord> letters) {
        return letters.stream().map(DeadLetterRecord::getRule).toList();
    }
}
