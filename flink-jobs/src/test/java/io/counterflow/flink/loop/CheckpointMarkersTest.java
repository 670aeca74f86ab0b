package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.examples;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The marker in the state and the newest one that was written are those of the same results. */
final class CheckpointMarkersTest {

    private static LoopHarness open(@Nullable OperatorSubtaskState state) throws Exception {
        return LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state);
    }

    @Test
    void eachCheckpointHasItsNumber() throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = open(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.checkpoint(3);
            harness.take(examples("home", 0, 10));
            state = harness.checkpoint(5);
            assertThat(harness.markers()).containsExactly(3L, 5L);
        }
        try (LoopHarness harness = open(state)) {
            assertThat(harness.comparedMarkers()).isEmpty(); // transactions may not be committed
            harness.checkpoint(6);
            assertThat(harness.comparedMarkers()).isEqualTo(Map.of(0, 5L));
        }
    }

    /** Otherwise an older checkpoint would look as new as what a drained job wrote last. */
    @Test
    void theLastResultsOfADrainedJobHaveANumberOfTheirOwn() throws Exception {
        OperatorSubtaskState drained;
        try (LoopHarness harness = open(null)) {
            harness.take(specEvent("home", 1, 0));
            harness.checkpoint(3);
            harness.take(examples("home", 0, 10));
            harness.finish(true);
            drained = harness.checkpoint(7);
            assertThat(harness.markers()).containsExactly(3L, 4L);
        }
        try (LoopHarness harness = open(drained)) {
            harness.checkpoint(8);
            assertThat(harness.comparedMarkers()).isEqualTo(Map.of(0, 4L));
            assertThat(harness.markers()).containsExactly(8L);
        }
        OperatorSubtaskState again;
        try (LoopHarness harness = open(drained)) { // and drained before the first checkpoint
            harness.take(examples("home", 10, 20));
            harness.finish(true);
            assertThat(harness.comparedMarkers()).isEmpty();
            again = harness.checkpoint(8);
            assertThat(harness.comparedMarkers()).isEqualTo(Map.of(0, 4L));
            assertThat(harness.markers()).containsExactly(5L);
        }
        try (LoopHarness harness = open(again)) {
            harness.checkpoint(9);
            assertThat(harness.comparedMarkers()).isEqualTo(Map.of(0, 5L));
        }
    }
}
