package io.counterflow.flink.loop;

import static io.counterflow.flink.loop.LoopEvents.deletion;
import static io.counterflow.flink.loop.LoopEvents.example;
import static io.counterflow.flink.loop.LoopEvents.specEvent;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.event.LoopEventKind;
import io.counterflow.flink.loop.LoopHarness.LoopResults;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The watermark ends the windows of loops one loop at a time, and each window once. */
final class LoopOperatorWindowsTest {

    private static final List<String> LOOPS =
            IntStream.range(0, 9).mapToObj(it -> "loop-" + it).toList();

    /** Each loop has an example, which is in the windows that end at 1 s and at 2 s. */
    private static LoopHarness withOpenWindows(LoopOperatorConfig config) throws Exception {
        LoopHarness harness = LoopHarness.open(config);
        for (String loop : LOOPS) {
            harness.take(specEvent(loop, 1, 0));
            harness.take(example(loop, 1, 100));
        }
        return harness;
    }

    private static LoopHarness withOpenWindows() throws Exception {
        return withOpenWindows(LoopOperatorConfig.defaults());
    }

    private static LoopHarness restored(OperatorSubtaskState state) throws Exception {
        return LoopHarness.open(LoopOperatorConfig.defaults(), new HashMapStateBackend(), state);
    }

    private static List<LoopEvent> ofTime(List<LoopEvent> journal) {
        return journal.stream().filter(it -> it.kind() == LoopEventKind.TIME).toList();
    }

    private static void assertEachWindowEndedOnce(List<LoopEvent> entries, LoopResults results) {
        for (String loop : LOOPS) {
            assertThat(entries)
                    .filteredOn(it -> it.loop().equals(loop))
                    .extracting(LoopEvent::sequence)
                    .as(loop)
                    .containsExactly(3L, 4L);
            assertThat(results.of(loop).windows()).as(loop).hasSize(2);
        }
    }

    @Test
    void oneLoopIsDueAtATimeAndThenTheWatermarkGoesOn() throws Exception {
        try (LoopHarness harness = withOpenWindows()) {
            harness.startWatermark(5_000);
            for (int loops = 1; loops < LOOPS.size(); loops++) {
                assertThat(ofTime(harness.journal())).hasSize(2 * loops);
                assertThat(harness.watermarks()).isEmpty();
                assertThat(harness.endMoreWindows()).isTrue();
            }
            assertThat(harness.endMoreWindows()).isTrue(); // finds nothing
            assertThat(harness.watermarks()).containsExactly(5_000L);
            assertThat(harness.endMoreWindows()).isFalse();
            assertEachWindowEndedOnce(ofTime(harness.journal()), harness.results());
            harness.watermark(9_000);
            assertThat(harness.watermarks()).containsExactly(5_000L, 9_000L);
            assertThat(ofTime(harness.journal())).hasSize(2 * LOOPS.size());
        }
    }

    @Test
    void aCheckpointInBetweenKeepsTheLoopsThatAreStillDue() throws Exception {
        OperatorSubtaskState state;
        LoopResults before;
        List<LoopEvent> entries = new ArrayList<>();
        try (LoopHarness harness = withOpenWindows()) {
            harness.startWatermark(5_000);
            harness.endMoreWindows();
            harness.endMoreWindows();
            state = harness.snapshot();
            entries.addAll(ofTime(harness.journal()));
            before = harness.results();
            harness.watermark(5_000); // goes on after the checkpoint
            assertEachWindowEndedOnce(ofTime(harness.journal()), harness.results());
        }
        assertThat(entries).hasSize(6);
        try (LoopHarness harness = restored(state)) {
            harness.watermark(500); // Flink does not restore watermarks
            assertThat(harness.journal()).isEmpty();
            harness.watermark(5_000);
            entries.addAll(harness.journal());
            assertEachWindowEndedOnce(entries, before.and(harness.results()));
        }
    }

    @Test
    void loopsThatAreStillDueFollowTheirKeysWhenTheJobIsRescaled() throws Exception {
        OperatorSubtaskState state;
        LoopResults results;
        List<LoopEvent> entries = new ArrayList<>();
        try (LoopHarness harness = withOpenWindows()) {
            harness.startWatermark(5_000);
            state = harness.snapshot();
            entries.addAll(ofTime(harness.journal()));
            results = harness.results();
        }
        for (int subtask = 0; subtask < 2; subtask++) {
            try (LoopHarness harness =
                    LoopHarness.rescale(new LoopHarness.Subtask(subtask, 2), state)) {
                harness.watermark(5_000);
                assertThat(harness.journal()).isNotEmpty();
                entries.addAll(harness.journal());
                results = results.and(harness.results());
            }
        }
        assertEachWindowEndedOnce(entries, results);
    }

    @Test
    void anEventThatComesInBetweenEndsTheWindowsBeforeIt() throws Exception {
        String last = LOOPS.get(LOOPS.size() - 1);
        try (LoopHarness harness = withOpenWindows()) {
            harness.startWatermark(5_000);
            harness.take(example(last, 2, 5_500));
            harness.watermark(5_500);
            assertThat(harness.results().of(last).windows()).hasSize(2);
            assertThat(harness.journal())
                    .filteredOn(it -> it.loop().equals(last))
                    .extracting(LoopEvent::kind)
                    .containsExactly(
                            LoopEventKind.SPEC, LoopEventKind.EXAMPLE, LoopEventKind.EXAMPLE);
        }
    }

    /** Its timer would have loaded it. */
    @Test
    void aLoopWhoseWindowAnEventHasEndedIsNotLoaded() throws Exception {
        try (LoopHarness harness = withOpenWindows(LoopOperatorLawTest.TINY)) {
            for (String loop : LOOPS) {
                harness.take(example(loop, 2, 1_100)); // ends the window at 1 s
            }
            harness.take(deletion(LOOPS.get(0), 1_200));
            long loaded = harness.count("cold_loads");
            harness.watermark(1_500);
            assertThat(harness.count("cold_loads")).isEqualTo(loaded);
            assertThat(ofTime(harness.journal())).isEmpty();
            harness.watermark(5_000);
            assertThat(harness.count("cold_loads"))
                    .as("each loop once, for two windows; the last one is in memory, one is gone")
                    .isBetween(loaded + LOOPS.size() - 2, loaded + LOOPS.size() - 1);
            assertThat(ofTime(harness.journal())).hasSize(2 * (LOOPS.size() - 1));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aJobThatStopsEndsTheRestFirst(boolean drain) throws Exception {
        OperatorSubtaskState state;
        try (LoopHarness harness = withOpenWindows()) {
            harness.startWatermark(5_000);
            harness.finish(drain);
            assertEachWindowEndedOnce(ofTime(harness.journal()), harness.results());
            harness.endMoreWindows();
            assertThat(harness.watermarks()).containsExactly(5_000L);
            state = harness.snapshot();
        }
        try (LoopHarness harness = restored(state)) {
            harness.watermark(9_000);
            assertThat(harness.journal()).isEmpty();
        }
    }
}
