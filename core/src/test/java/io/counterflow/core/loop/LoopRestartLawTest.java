package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutChange.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A restart between any two events of a loop does not change any bit. */
final class LoopRestartLawTest {

    private static final int SEEDS = 40;

    /** Sequences of events in which the gate rolls back, starts a canary and ends one. */
    private static final long[] RARE_SEEDS = {1070, 1398, 1420, 3260};

    private static final int EVENTS = 400;

    static LongStream seeds() {
        return LongStream.concat(LongStream.range(0, SEEDS), LongStream.of(RARE_SEEDS));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aRestartBetweenAnyTwoEventsChangesNothing(long seed) {
        List<Object> expected = new DrawnLife(seed).live(EVENTS, i -> false).told();
        assertSame(new DrawnLife(seed).live(EVENTS, i -> true).told(), expected, seed);
        EventRandom random = new EventRandom(seed);
        int only = random.nextInt(EVENTS);
        assertSame(new DrawnLife(seed).live(EVENTS, i -> i == only).told(), expected, seed);
        assertSame(
                new DrawnLife(seed).live(EVENTS, i -> random.nextInt(20) == 0).told(),
                expected,
                seed);
    }

    private static void assertSame(List<Object> actual, List<Object> expected, long seed) {
        Object event = "the start";
        for (int i = 0; i < expected.size(); i++) {
            event = expected.get(i) instanceof String name ? name : event;
            assertThat(i < actual.size() ? actual.get(i) : "nothing")
                    .as("seed %d, %s", seed, event)
                    .isEqualTo(expected.get(i));
        }
        assertThat(actual).as("seed %d", seed).hasSameSizeAs(expected);
    }

    @Test
    void theDrawnLivesSeeAllThatCanHappen() {
        List<RolloutChange> changes = new ArrayList<>();
        seeds().forEach(
                        seed ->
                                changes.addAll(
                                        new DrawnLife(seed).live(EVENTS, i -> false).changes()));
        EnumSet<Kind> kinds = EnumSet.allOf(Kind.class);
        kinds.removeAll(List.of(Kind.COMPARED, Kind.GATE_OPENED)); // need more events; see GateTest
        kinds.remove(Kind.QUARANTINED); // reported by the job, about a loop that failed
        assertThat(changes).extracting(RolloutChange::kind).containsAll(kinds);
        for (Kind byData : List.of(Kind.PROMOTED, Kind.ROLLED_BACK, Kind.CANARY_ENDED)) {
            assertThat(changes.stream().filter(c -> c.kind() == byData))
                    .as("%s, decided by data", byData)
                    .anyMatch(c -> c.reason().contains("with error probability"));
        }
        assertThat(changes.stream().filter(c -> c.kind() == Kind.PROMOTED))
                .anyMatch(c -> c.reason().endsWith("while the loop is an apprentice"));
        assertThat(changes.stream().filter(c -> c.kind() == Kind.SPEC_CHANGED))
                .anyMatch(c -> c.reason().endsWith("is in force with this generation"));
    }
}
