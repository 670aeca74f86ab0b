package io.counterflow.flink.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.loop.LoopHarness.LoopResults;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.util.OperatorSnapshotUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * State that an earlier version of the job wrote is read by this one, and learning goes on as if
 * nothing had happened. The files are kept for ever; a version that changes what it writes adds
 * one, by {@code -Dcounterflow.write-state=NAME}.
 */
final class StateOfReleasesTest {

    private static final Path DIRECTORY = Path.of("src/test/resources/state");
    private static final long SEED = 3;

    @Test
    void stateOfTheFirstVersionGoesOnToTheSameBytes() throws Exception {
        OperatorSubtaskState state =
                OperatorSnapshotUtil.readStateHandle(file("loop-operator-v1").toString());
        List<DrawnLoopEvents.Step> steps = new DrawnLoopEvents(SEED).steps();
        LoopResults before;
        LoopResults uninterrupted;
        try (LoopHarness harness = LoopHarness.open()) {
            play(harness, steps.subList(0, steps.size() / 2));
            before = harness.results();
            play(harness, steps.subList(steps.size() / 2, steps.size()));
            uninterrupted = harness.results();
        }
        try (LoopHarness harness =
                LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state)) {
            play(harness, steps.subList(steps.size() / 2, steps.size()));
            assertThat(harness.results().snapshots()).isNotEmpty();
            LoopResults both = before.and(harness.results());
            for (String loop : DrawnLoopEvents.LOOPS) {
                assertThat(both.of(loop)).as(loop).isEqualTo(uninterrupted.of(loop));
            }
        }
    }

    private static void play(LoopHarness harness, List<DrawnLoopEvents.Step> steps)
            throws Exception {
        for (DrawnLoopEvents.Step step : steps) {
            step.play(harness);
        }
    }

    private static Path file(String name) {
        return DIRECTORY.resolve(name + ".state");
    }

    /** Writes the state of this version, under the name that is given. */
    @Test
    @EnabledIfSystemProperty(named = "counterflow.write-state", matches = ".+")
    void write() throws Exception {
        String name = Objects.requireNonNull(System.getProperty("counterflow.write-state"));
        List<DrawnLoopEvents.Step> steps = new DrawnLoopEvents(SEED).steps();
        try (LoopHarness harness = LoopHarness.open()) {
            play(harness, steps.subList(0, steps.size() / 2));
            OperatorSnapshotUtil.writeStateHandle(harness.snapshot(), file(name).toString());
        }
    }
}
