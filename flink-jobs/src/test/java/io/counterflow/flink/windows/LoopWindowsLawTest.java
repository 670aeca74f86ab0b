package io.counterflow.flink.windows;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.event.ScoredExample;
import io.counterflow.flink.windows.DrawnJudged.Step;
import io.counterflow.flink.windows.WindowHarness.Timed;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LoopWindowsLawTest {

    static LongStream seeds() {
        return LongStream.range(0, 10);
    }

    private static List<IpsWindowRecord> tumbling(List<Step> steps) {
        return run(steps, new WindowHarness(2_000, 2_000));
    }

    private static List<IpsWindowRecord> sliding(List<Step> steps) {
        return run(steps, new WindowHarness(3_000, 1_000));
    }

    private static List<IpsWindowRecord> run(List<Step> steps, WindowHarness harness) {
        steps.forEach(step -> step.on(harness));
        assertThat(harness.isEmpty()).as("no window is left").isTrue();
        return harness.windows();
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
    void aWindowOfOnePaneHasTheBitsThatCoreGives(long seed) {
        List<Step> steps = DrawnJudged.steps(seed, 120);
        List<Timed> examples = DrawnJudged.examples(steps);
        List<IpsWindowRecord> windows = tumbling(steps);
        assertThat(windows)
                .as("seed %d", seed)
                .isNotEmpty()
                .allSatisfy(w -> assertThat(w).isEqualTo(DirectWindows.of(w, examples)));
        assertThat(windows.stream().mapToLong(IpsWindowRecord::getN).sum()).isEqualTo(120);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aWindowOfPanesIsWhatCoreGivesButForRounding(long seed) {
        List<Step> steps = DrawnJudged.steps(seed, 120);
        List<Timed> examples = DrawnJudged.examples(steps);
        List<IpsWindowRecord> windows = sliding(steps);
        for (IpsWindowRecord window : windows) {
            assertThat(window)
                    .as("seed %d, window %s", seed, window.getWindowStart())
                    .usingRecursiveComparison()
                    .withComparatorForType(LoopWindowsLawTest::compare, Double.class)
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

    /** All sliding windows that hold an example. */
    private static Set<List<Object>> windowsWithExamples(List<Timed> examples) {
        Set<List<Object>> expected = new HashSet<>();
        for (Timed timed : examples) {
            ScoredExample example = timed.example();
            long startMs = timed.timeMicros() / 1_000_000 * 1_000;
            for (long endMs = startMs + 1_000; endMs <= startMs + 3_000; endMs += 1_000) {
                expected.add(List.of(example.loop(), example.loggedBy(), endMs));
            }
        }
        return expected;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void aRestartBetweenAnyTwoStepsChangesNoByte(long seed) {
        List<Step> steps = DrawnJudged.steps(seed, 60);
        WindowHarness harness = new WindowHarness(3_000, 1_000);
        for (Step step : steps) {
            step.on(harness);
            harness.restart();
        }
        assertThat(bytes(harness.windows())).as("seed %d", seed).isEqualTo(bytes(sliding(steps)));
    }
}
