package io.counterflow.flink.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What comes out of loops depends on their events alone. */
final class LoopOperatorLawTest {

    /** As little memory as can be: one loop at hand, and nothing waits on the heap. */
    static final LoopOperatorConfig TINY = new LoopOperatorConfig(1, 1, 128L << 20, 10, 512L << 20);

    private static final int SEEDS = 6;

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRestartBetweenAnyTwoStepsChangesNothing(long seed) throws Exception {
        assertRestartsChangeNothing(
                seed, 1, LoopOperatorConfig.defaults(), new HashMapStateBackend());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRestartChangesNothingWhateverTheMemory(long seed) throws Exception {
        assertRestartsChangeNothing(seed, 7, TINY, new HashMapStateBackend());
    }

    /**
     * @param stride a restart comes after each of so many steps
     */
    static void assertRestartsChangeNothing(
            long seed, int stride, LoopOperatorConfig config, StateBackend backend)
            throws Exception {
        DrawnLoopEvents drawn = new DrawnLoopEvents(seed);
        LoopResults expected = uninterrupted(drawn.steps(), LoopOperatorConfig.defaults());
        assertThat(expected.snapshots()).as("seed %d", seed).hasSizeGreaterThan(4);
        for (String loop : DrawnLoopEvents.LOOPS) {
            assertThat(expected.of(loop).judged())
                    .as("loop %s, seed %d", loop, seed)
                    .hasSize(DrawnLoopEvents.EXAMPLES_OF_A_LOOP);
        }

        LoopResults actual = LoopResults.NONE;
        OperatorSubtaskState state = null;
        List<DrawnLoopEvents.Step> steps = drawn.steps();
        for (int from = 0; from < steps.size(); from += stride) {
            try (LoopHarness harness = LoopHarness.open(config, backend, state)) {
                for (DrawnLoopEvents.Step step :
                        steps.subList(from, Math.min(steps.size(), from + stride))) {
                    step.play(harness);
                }
                state = harness.snapshot();
                actual = actual.and(harness.results());
            }
        }
        assertSame(seed, expected, actual);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theOrderOfArrivalChangesNothing(long seed) throws Exception {
        DrawnLoopEvents drawn = new DrawnLoopEvents(seed);
        LoopResults expected = uninterrupted(drawn.steps(), LoopOperatorConfig.defaults());
        LoopResults shuffled = uninterrupted(drawn.shuffledSteps(), LoopOperatorConfig.defaults());
        assertSame(seed, expected, shuffled);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void oneWatermarkAtTheEndGivesTheSameAsManyOnTheWay(long seed) throws Exception {
        DrawnLoopEvents drawn = new DrawnLoopEvents(seed);
        LoopResults live = uninterrupted(drawn.steps(), LoopOperatorConfig.defaults());
        List<LoopEvent> all = new ArrayList<>(drawn.events());
        Collections.shuffle(all, new Random(seed));
        try (LoopHarness harness = LoopHarness.open(TINY)) {
            harness.take(all);
            harness.end();
            assertSame(seed, live, harness.results());
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void memoryChangesNothing(long seed) throws Exception {
        DrawnLoopEvents drawn = new DrawnLoopEvents(seed);
        assertSame(
                seed,
                uninterrupted(drawn.steps(), LoopOperatorConfig.defaults()),
                uninterrupted(drawn.steps(), TINY));
    }

    private static LoopResults uninterrupted(
            List<DrawnLoopEvents.Step> steps, LoopOperatorConfig config) throws Exception {
        try (LoopHarness harness = LoopHarness.open(config)) {
            for (DrawnLoopEvents.Step step : steps) {
                step.play(harness);
            }
            return harness.results();
        }
    }

    /** Loop by loop: which of two loops comes first is nobody's business. */
    private static void assertSame(long seed, LoopResults expected, LoopResults actual) {
        for (String loop : DrawnLoopEvents.LOOPS) {
            assertThat(actual.of(loop))
                    .as("loop %s, seed %d", loop, seed)
                    .isEqualTo(expected.of(loop));
        }
        assertThat(actual.deadLetters())
                .as("dead letters, seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(expected.deadLetters());
        assertThat(actual.late()).as("late, seed %d", seed).isEmpty();
    }
}
