package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.flink.event.LoopEvent;
import io.counterflow.schemas.record.LoopCountsRecord;
import io.counterflow.schemas.record.UnusedCountRecord;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;

/** What the job says of its loops, besides what they learn. */
final class LoopOperatorCountsTest {

    private static LoopEvent wrongSize(String loop) {
        return example(
                loop,
                "odd",
                1_050,
                new Context.Vector(DenseVector.of(1, 2)),
                Choice.of(0, 0.5),
                0,
                1.0);
    }

    private static LoopCountsRecord of(String loop, List<LoopCountsRecord> counts) {
        return counts.stream().filter(it -> it.getLoop().equals(loop)).findAny().orElseThrow();
    }

    @Test
    void aCheckpointSaysWhatEachLoopHasTakenAndLearned() throws Exception {
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(specEvent("other", 1, 0));
            harness.take(examples("home", 0, 70));
            harness.take(wrongSize("home"));
            assertThat(harness.counts()).as("before the checkpoint").isEmpty();
            OperatorSubtaskState first = harness.checkpoint(1);
            assertThat(first).isNotNull();
            List<LoopCountsRecord> counts = harness.counts();
            assertThat(counts).as("nothing was taken by the other loop").hasSize(1);
            LoopCountsRecord home = counts.get(0);
            assertThat(home.getExamples()).isEqualTo(70);
            var learned = Objects.requireNonNull(home.getLearned());
            assertThat(learned.getExamples()).isEqualTo(70);
            assertThat(learned.getLatestVersion())
                    .isEqualTo(harness.results().snapshots().size())
                    .isPositive();
            assertThat(learned.getSinceSnapshot()).isBetween(0L, 69L);
            assertThat(home.getUnused())
                    .singleElement()
                    .extracting(
                            UnusedCountRecord::getRule,
                            UnusedCountRecord::getCount,
                            UnusedCountRecord::getReason)
                    .containsExactly("EXAMPLE", 1L, "context must have 4 features, got 2");

            harness.take(example("home", 100, 1_000));
            OperatorSubtaskState second = harness.checkpoint(2);
            assertThat(second).isNotNull();
            assertThat(harness.counts()).hasSize(2);
            assertThat(harness.counts().get(1).getExamples()).isEqualTo(1);
            assertThat(harness.counts().get(1).getUnused()).isEmpty();
        }
    }

    @Test
    void eventsOfUnknownLoopsAreCountedTogether() throws Exception {
        LoopOperatorConfig config = LoopOperatorConfig.defaults();
        try (LoopHarness harness = LoopHarness.open(config)) {
            harness.take(example("made-up", 1, 100));
            harness.take(example("made-up-too", 1, 100));
            harness.processingTime(config.specWait().plus(Duration.ofSeconds(1)));
            harness.finish(true);
            assertThat(harness.counts()).hasSize(1);
            assertThat(of("", harness.counts()).getUnused().get(0).getRule())
                    .isEqualTo("UNKNOWN_LOOP");
            assertThat(of("", harness.counts()).getUnused().get(0).getCount()).isEqualTo(2);
        }
    }

    @Test
    void aReplayWritesNoCounts() throws Exception {
        List<LoopEvent> journal;
        try (LoopHarness harness = LoopHarness.open()) {
            harness.take(specEvent("home", 1, 0));
            harness.take(examples("home", 0, 10));
            journal = harness.journal();
        }
        try (LoopHarness replay =
                LoopHarness.replay(
                        LoopOperatorConfig.defaults(), new HashMapStateBackend(), null)) {
            replay.take(journal);
            OperatorSubtaskState state = replay.checkpoint(1);
            assertThat(state).isNotNull();
            replay.finish(true);
            assertThat(replay.count("learned")).isEqualTo(10);
            assertThat(replay.counts()).isEmpty();
        }
    }
}
