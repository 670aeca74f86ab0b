package io.counterflow.flink.windows;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.windows.DrawnJudged.Example;
import io.counterflow.flink.windows.DrawnJudged.Step;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class IpsWindowsLawTest {

    private static final IpsWindowsConfig SLIDING = WindowHarness.config(3_000, 1_000);
    private static final IpsWindowsConfig TUMBLING = WindowHarness.config(2_000, 2_000);

    static LongStream seeds() {
        return LongStream.range(0, 10);
    }

    static LongStream fewSeeds() {
        return LongStream.range(100, 103);
    }

    private static List<IpsWindowRecord> run(List<Step> steps, IpsWindowsConfig config)
            throws Exception {
        try (WindowHarness harness = WindowHarness.open(config)) {
            for (Step step : steps) {
                step.on(harness);
            }
            assertThat(harness.stateEntries()).as("entries of state left").isZero();
            assertThat(harness.timers()).as("timers left").isZero();
            assertThat(harness.count("late_examples")).isZero();
            return harness.windows();
        }
    }

    /** The windows as bytes, by loop: between loops there is no order. */
    private static List<ByteBuffer> bytes(List<IpsWindowRecord> windows) {
        WireCodec<IpsWindowRecord> codec = WireCodec.of(IpsWindowRecord.class);
        return windows.stream()
                .sorted(Comparator.comparing(IpsWindowRecord::getLoop)) // stable
                .map(window -> ByteBuffer.wrap(codec.encode(window)))
                .toList();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aWindowOfOnePaneHasTheBitsThatCoreGives(long seed) throws Exception {
        List<Step> steps = DrawnJudged.steps(seed, 120);
        List<ScoredExample> examples = DrawnJudged.examples(steps);
        List<IpsWindowRecord> windows = run(steps, TUMBLING);
        assertThat(windows)
                .as("seed %d", seed)
                .isNotEmpty()
                .allSatisfy(w -> assertThat(w).isEqualTo(DirectWindows.of(w, examples)));
        assertThat(windows.stream().mapToLong(IpsWindowRecord::getN).sum()).isEqualTo(120);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aWindowOfPanesIsWhatCoreGivesButForRounding(long seed) throws Exception {
        List<Step> steps = DrawnJudged.steps(seed, 120);
        List<ScoredExample> examples = DrawnJudged.examples(steps);
        List<IpsWindowRecord> windows = run(steps, SLIDING);
        for (IpsWindowRecord window : windows) {
            assertThat(window)
                    .as("seed %d, window %s", seed, window.getWindowStart())
                    .usingRecursiveComparison()
                    .withComparatorForType(IpsWindowsLawTest::compare, Double.class)
                    .ignoringFieldsOfTypes(Schema.class, SpecificData.class)
                    .isEqualTo(DirectWindows.of(window, examples));
        }
        assertThat(windowsOf(windows)).isEqualTo(windowsWithExamples(examples));
    }

    private static int compare(double one, double other) {
        return one == other || Math.abs(one - other) <= 1e-9 * Math.max(1.0, Math.abs(one))
                ? 0
                : Double.compare(one, other);
    }

    private static Set<List<Object>> windowsOf(List<IpsWindowRecord> windows) {
        Set<List<Object>> found = new HashSet<>();
        for (IpsWindowRecord window : windows) {
            assertThat(
                            found.add(
                                    List.of(
                                            window.getLoop(),
                                            window.getPolicyVersion(),
                                            window.getWindowEnd().toEpochMilli())))
                    .as("no window twice")
                    .isTrue();
        }
        return found;
    }

    /** All windows of {@link #SLIDING} that hold an example. */
    private static Set<List<Object>> windowsWithExamples(List<ScoredExample> examples) {
        Set<List<Object>> expected = new HashSet<>();
        for (ScoredExample example : examples) {
            long startMs = example.timeMicros() / 1_000_000 * 1_000;
            for (long endMs = startMs + 1_000; endMs <= startMs + 3_000; endMs += 1_000) {
                expected.add(List.of(example.loop(), example.loggedBy(), endMs));
            }
        }
        return expected;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theSizeOfTheCacheChangesNoByte(long seed) throws Exception {
        List<Step> steps = DrawnJudged.steps(seed, 120);
        List<ByteBuffer> roomy = bytes(run(steps, SLIDING));
        assertThat(bytes(run(steps, WindowHarness.config(3_000, 1_000, 1))))
                .as("seed %d, one loop at hand", seed)
                .isEqualTo(roomy);
        assertThat(bytes(run(steps, WindowHarness.config(3_000, 1_000, 30_000))))
                .as("seed %d, a few panes at hand", seed)
                .isEqualTo(roomy);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fewSeeds")
    void aRestartBetweenAnyTwoStepsChangesNoByte(long seed) throws Exception {
        assertRestartsChangeNothing(seed, 60, 1, new HashMapStateBackend());
    }

    static void assertRestartsChangeNothing(
            long seed, int examples, int stride, StateBackend backend) throws Exception {
        List<Step> steps = DrawnJudged.steps(seed, examples);
        List<ByteBuffer> uninterrupted = bytes(run(steps, SLIDING));
        List<IpsWindowRecord> windows = new ArrayList<>();
        WindowHarness harness = WindowHarness.open(SLIDING, backend, null);
        for (int i = 0; i < steps.size(); i++) {
            steps.get(i).on(harness);
            if (i % stride == stride - 1 || i == steps.size() - 1) {
                OperatorSubtaskState snapshot = harness.snapshot();
                windows.addAll(harness.windows());
                harness.close();
                harness = WindowHarness.open(SLIDING, backend, snapshot);
            }
        }
        assertThat(harness.timers()).as("timers left").isZero();
        harness.close();
        assertThat(bytes(windows)).as("seed %d", seed).isEqualTo(uninterrupted);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fewSeeds")
    void anotherParallelismFromASnapshotChangesNoByte(long seed) throws Exception {
        List<Step> steps = DrawnJudged.steps(seed, 100);
        int middle = steps.size() / 2;
        List<IpsWindowRecord> windows = new ArrayList<>();
        OperatorSubtaskState one = runSubtask(steps.subList(0, middle), 1, 0, null, 1, windows);
        List<Step> rest = steps.subList(middle, steps.size());
        OperatorSubtaskState both =
                AbstractStreamOperatorTestHarness.repackageState(
                        runSubtask(rest.subList(0, 20), 2, 0, one, 1, windows),
                        runSubtask(rest.subList(0, 20), 2, 1, one, 1, windows));
        runSubtask(rest.subList(20, rest.size()), 1, 0, both, 2, windows);
        assertThat(bytes(windows)).as("seed %d", seed).isEqualTo(bytes(run(steps, SLIDING)));
    }

    /** Lets one subtask take the steps that are its own; adds its windows to those given. */
    private static OperatorSubtaskState runSubtask(
            List<Step> steps,
            int parallelism,
            int subtask,
            @Nullable OperatorSubtaskState before,
            int parallelismBefore,
            List<IpsWindowRecord> windows)
            throws Exception {
        try (WindowHarness harness =
                WindowHarness.openSubtask(
                        SLIDING, parallelism, subtask, before, parallelismBefore)) {
            for (Step step : steps) {
                if (!(step instanceof Example example)
                        || KeyGroupRangeAssignment.assignKeyToParallelOperator(
                                        example.example().loop(),
                                        WindowHarness.MAX_PARALLELISM,
                                        parallelism)
                                == subtask) {
                    step.on(harness);
                }
            }
            windows.addAll(harness.windows());
            return harness.snapshot();
        }
    }
}
