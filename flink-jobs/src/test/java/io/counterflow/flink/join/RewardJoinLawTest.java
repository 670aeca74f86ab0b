package io.counterflow.flink.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.flink.join.DrawnArrivals.Step;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RewardJoinLawTest {

    /** What a run gave, with what no order of arrival may change. */
    private record Outcome(List<JoinedExample> examples, Set<ByteBuffer> late) {}

    static LongStream seeds() {
        return LongStream.range(0, 40);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void theOrderOfArrivalChangesNoExampleAndNoStateIsLeft(long seed) throws Exception {
        DrawnArrivals arrivals = new DrawnArrivals(seed, 12);
        Outcome first = outcome(arrivals.shuffled(0));
        assertThat(first.examples()).as("seed %d draws examples", seed).isNotEmpty();
        for (long order = 1; order < 6; order++) {
            assertThat(outcome(arrivals.shuffled(order)))
                    .as("seed %d, order %d", seed, order)
                    .isEqualTo(first);
        }
    }

    private static Outcome outcome(List<Step> steps) throws Exception {
        try (JoinHarness join = JoinHarness.open(new HashMapStateBackend())) {
            for (Step step : steps) {
                step.on(join);
            }
            assertThat(join.waiting()).as("what is left").isZero();
            return new Outcome(
                    join.examples().stream()
                            .sorted(Comparator.comparing(e -> e.impression().getEventId()))
                            .toList(),
                    join.late().stream()
                            .map(letter -> letter.getValue())
                            .collect(Collectors.toSet()));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fewSeeds")
    void aRestartBetweenAnyTwoStepsChangesNothing(long seed) throws Exception {
        for (JoinConfig config : List.of(JoinHarness.CONFIG, JoinHarness.SMALL)) {
            assertRestartsChangeNothing(
                    new DrawnArrivals(seed, 12).shuffled(seed), config, new HashMapStateBackend());
        }
    }

    static LongStream fewSeeds() {
        return LongStream.range(100, 104);
    }

    static void assertRestartsChangeNothing(
            List<Step> steps, JoinConfig config, StateBackend backend) throws Exception {
        List<JoinedExample> uninterrupted = new ArrayList<>();
        List<String> lateUninterrupted = new ArrayList<>();
        try (JoinHarness join = JoinHarness.open(config, backend)) {
            for (Step step : steps) {
                step.on(join);
            }
            uninterrupted.addAll(join.examples());
            lateUninterrupted.addAll(join.lateReasons());
        }
        List<JoinedExample> examples = new ArrayList<>();
        List<String> late = new ArrayList<>();
        JoinHarness join = JoinHarness.open(config, backend);
        for (Step step : steps) {
            step.on(join);
            OperatorSubtaskState snapshot = join.snapshot();
            examples.addAll(join.examples());
            late.addAll(join.lateReasons());
            join.close();
            join = JoinHarness.restore(config, backend, snapshot);
        }
        assertThat(join.waiting()).isZero();
        join.close();

        assertThat(uninterrupted).isNotEmpty();
        assertThat(lateUninterrupted).isNotEmpty();
        assertThat(examples).containsExactlyInAnyOrderElementsOf(uninterrupted);
        assertThat(late).containsExactlyInAnyOrderElementsOf(lateUninterrupted);
    }
}
