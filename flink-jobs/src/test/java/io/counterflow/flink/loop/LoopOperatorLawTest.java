package io.counterflow.flink.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The results of loops depend only on their journal. */
final class LoopOperatorLawTest {

    /** Few versions are kept, so that some are forgotten. */
    static final LoopOperatorConfig FEW_VERSIONS = keepingThree(256L << 20);

    /** The least memory: one loop in the cache. */
    static final LoopOperatorConfig TINY = keepingThree(1);

    private static LoopOperatorConfig keepingThree(long cacheBytes) {
        return new LoopOperatorConfig(
                cacheBytes, cacheBytes, Duration.ofMinutes(1), 1L << 20, 128L << 20, 3, 512L << 20);
    }

    private static final int SEEDS = 6;

    private static final Map<Long, LoopResults> UNINTERRUPTED = new HashMap<>();

    static LongStream seeds() {
        return LongStream.range(0, SEEDS);
    }

    @Test
    void aRestartAfterEveryStepChangesNothing() throws Exception {
        assertRestartsChangeNothing(SEEDS, 1, FEW_VERSIONS, new HashMapStateBackend());
    }

    /** Restarts after every sixth step; all seeds together restart after every step. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aRestartAfterAnyStepChangesNothing(long seed) throws Exception {
        assertRestartsChangeNothing(seed, SEEDS, FEW_VERSIONS, new HashMapStateBackend());
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRestartChangesNothingIfLoopsDoNotFitInMemory(long seed) throws Exception {
        assertRestartsChangeNothing(seed, 2 * SEEDS, TINY, new HashMapStateBackend());
    }

    /**
     * @param stride number of steps between two restarts
     */
    static void assertRestartsChangeNothing(
            long seed, int stride, LoopOperatorConfig config, StateBackend backend)
            throws Exception {
        DrawnLoopEvents drawn = new DrawnLoopEvents(seed);
        LoopResults expected = uninterrupted(drawn);
        assertThat(expected.snapshots()).as("seed %d", seed).hasSizeGreaterThan(4);
        assertThat(expected.tombstones()).as("seed %d", seed).hasSizeGreaterThan(4);
        for (String loop : DrawnLoopEvents.LOOPS) {
            assertThat(expected.of(loop).windows().stream().mapToLong(it -> it.getN()).sum())
                    .as("loop %s, seed %d: each example is in two windows", loop, seed)
                    .isEqualTo(2L * DrawnLoopEvents.EXAMPLES_OF_A_LOOP);
        }

        LoopResults actual = LoopResults.NONE;
        OperatorSubtaskState state = null;
        List<DrawnLoopEvents.Step> steps = drawn.steps();
        int from = 0;
        int to = 1 + (int) (seed % stride);
        while (from < steps.size()) {
            try (LoopHarness harness = LoopHarness.open(config, backend, state)) {
                for (DrawnLoopEvents.Step step : steps.subList(from, to)) {
                    step.play(harness);
                }
                state = harness.snapshot();
                actual = actual.and(harness.results());
            }
            from = to;
            to = Math.min(steps.size(), from + stride);
        }
        assertSame(seed, expected, actual);
    }

    /** Whatever the order of arrival was. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aReplayOfTheJournalGivesTheSameBytes(long seed) throws Exception {
        DrawnLoopEvents drawn = new DrawnLoopEvents(seed);
        List<LoopEvent> journal;
        LoopResults live;
        try (LoopHarness harness = LoopHarness.open(FEW_VERSIONS)) {
            for (DrawnLoopEvents.Step step : drawn.shuffledSteps()) {
                step.play(harness);
            }
            journal = harness.journal();
            live = harness.results();
        }
        assertGapless(journal);
        assertReplayGives(seed, live, journal);
    }

    private static void assertReplayGives(long seed, LoopResults live, List<LoopEvent> journal)
            throws Exception {
        LoopResults replayed = LoopResults.NONE;
        OperatorSubtaskState state = null;
        int from = 0;
        while (from < journal.size()) { // restarted on the way
            int to = Math.min(journal.size(), from + 700);
            try (LoopHarness harness = LoopHarness.replay(TINY, new HashMapStateBackend(), state)) {
                harness.take(journal.subList(from, to));
                state = harness.snapshot();
                replayed = replayed.and(harness.results());
                assertThat(harness.journal()).isEmpty();
            }
            from = to;
        }
        for (String loop : DrawnLoopEvents.LOOPS) {
            assertThat(replayed.of(loop))
                    .as("loop %s, seed %d", loop, seed)
                    .isEqualTo(live.of(loop));
        }
    }

    private static void assertGapless(List<LoopEvent> journal) {
        Map<String, Long> last = new HashMap<>();
        for (LoopEvent entry : journal) {
            assertThat(entry.sequence()).isEqualTo(last.merge(entry.loop(), 1L, Long::sum));
        }
        assertThat(last.keySet()).containsExactlyInAnyOrderElementsOf(DrawnLoopEvents.LOOPS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theSizeOfTheCacheChangesNothing(long seed) throws Exception {
        DrawnLoopEvents drawn = new DrawnLoopEvents(seed);
        assertSame(seed, uninterrupted(drawn), uninterrupted(drawn.steps(), TINY));
    }

    /** The results of a run without restarts, computed once for each seed. */
    private static LoopResults uninterrupted(DrawnLoopEvents drawn) throws Exception {
        LoopResults known = UNINTERRUPTED.get(drawn.seed());
        if (known == null) {
            known = uninterrupted(drawn.steps(), FEW_VERSIONS);
            UNINTERRUPTED.put(drawn.seed(), known);
        }
        return known;
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

    /** Compares loop by loop, because the order between loops is not defined. */
    private static void assertSame(long seed, LoopResults expected, LoopResults actual) {
        for (String loop : DrawnLoopEvents.LOOPS) {
            assertThat(actual.of(loop))
                    .as("loop %s, seed %d", loop, seed)
                    .isEqualTo(expected.of(loop));
        }
        assertThat(actual.deadLetters())
                .as("dead letters, seed %d", seed)
                .containsExactlyInAnyOrderElementsOf(expected.deadLetters());
    }
}
