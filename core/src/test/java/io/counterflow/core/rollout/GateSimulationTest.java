package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Runs the gate on simulated streams with known values. */
final class GateSimulationTest {

    private static final int STREAMS = 200;
    private static final int NEVER = Integer.MAX_VALUE;
    private static final LoopSpec GATED = gated(Long.MAX_VALUE);

    /** Of a loop that starts with version 1. */
    private static LoopSpec gated(long candidateExamples) {
        PolicySnapshot first =
                PolicySnapshot.of("loop", 1, DenseModel.zeros(2, 1), Optional.empty());
        return LoopSpec.builder("loop")
                .vectors(1, "a", "b")
                .set(LoopSettings.STARTING_POLICY, Optional.of(first))
                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED)
                .set(LoopSettings.DELTA, 0.05)
                .set(LoopSettings.CANDIDATE_EXAMPLES, candidateExamples)
                .build();
    }

    /** Where the candidate of a new gate is promoted. */
    private static int promotedAt(SimulatedDuel.Event[] events) {
        Gate gate = Gate.start(GATED);
        gate.offer(2);
        for (int i = 0; i < events.length; i++) {
            gate.observe(
                    Compared.example(
                            1, events[i].challengerWeight(), 1.0, 0.0, events[i].reward()));
            if (gate.rollout().activeVersion() == 2) {
                return i + 1;
            }
        }
        return NEVER;
    }

    private static int[] promotions(double active, double candidate, int n) {
        int[] at = new int[STREAMS];
        for (int s = 0; s < STREAMS; s++) {
            SimulatedDuel duel = new SimulatedDuel(active, candidate, s);
            at[s] = promotedAt(duel.events(n, 10_000 + s));
        }
        Arrays.sort(at);
        return at;
    }

    private static long count(int[] promotions) {
        return Arrays.stream(promotions).filter(at -> at != NEVER).count();
    }

    @Test
    void aWorseCandidateIsPromotedInAtMostFivePercentOfStreams() {
        assertThat(count(promotions(0.3, 0.2, 3_000))).isLessThanOrEqualTo(STREAMS * 5 / 100);
    }

    @Test
    void aCandidateThatIsNoBetterIsPromotedInAtMostFivePercentOfStreams() {
        assertThat(count(promotions(0.3, 0.295, 3_000))).isLessThanOrEqualTo(STREAMS * 5 / 100);
    }

    @Test
    void manyWorseCandidatesOneAfterTheOtherShareOneDelta() {
        LoopSpec turns = gated(200);
        int wrong = 0;
        for (int s = 0; s < STREAMS; s++) {
            Gate gate = Gate.start(turns);
            long changes = 0;
            for (var event : new SimulatedDuel(0.3, 0.295, s).events(3_000, 20_000 + s)) {
                changes += gate.offer(2 + changes).isPresent() ? 1 : 0; // always a newer one
                var change =
                        gate.observe(
                                Compared.example(
                                        1, event.challengerWeight(), 1.0, 0.0, event.reward()));
                if (change.isPresent() && change.get().startsGeneration()) {
                    wrong++;
                    break;
                }
                changes += change.isPresent() ? 1 : 0;
            }
            if (gate.rollout().activeVersion() == 1) {
                // Turns of 200, 400, 800 and 1,600; longer with half of the evidence.
                assertThat(gate.state().comparedSoFar()).as("stream %d", s).isBetween(2L, 5L);
            }
        }
        assertThat(wrong).isLessThanOrEqualTo(STREAMS * 5 / 100);
    }

    @Test
    void nearlyAllBetterCandidatesArePromotedAndHalfOfThemSoon() {
        int[] at = promotions(0.3, 0.6, 3_000);
        assertThat(count(at)).isGreaterThanOrEqualTo(STREAMS * 95 / 100);
        assertThat(at[STREAMS / 2]).as("examples at the median").isLessThan(300);
    }

    @Test
    void nearlyAllCandidatesThatAreALittleBetterArePromotedInTime() {
        int[] at = promotions(0.3, 0.36, 10_000);
        assertThat(count(at)).isGreaterThanOrEqualTo(STREAMS * 95 / 100);
    }

    @Test
    void differencesDecideSoonerThanTwoSequences() {
        int sooner = 0;
        int later = 0;
        for (int s = 0; s < 40; s++) {
            PolicyComparison comparison = new PolicyComparison(0.03, 0);
            SimulatedDuel.Event[] events = new SimulatedDuel(0.3, 0.6, s).events(5_000, s);
            int byDifference = NEVER;
            int byParting = NEVER;
            for (int i = 0; i < events.length && byParting == NEVER; i++) {
                comparison.add(
                        Compared.example(
                                1, events[i].challengerWeight(), 1.0, 0.0, events[i].reward()),
                        ComparedVersion.of(0.01 * events[i].challengerWeight()),
                        1.0,
                        1.0);
                if (i % 25 != 0) {
                    continue;
                }
                if (byDifference == NEVER && comparison.isBetterBy(0.0)) {
                    byDifference = i;
                }
                GateBounds bounds = comparison.bounds();
                if (bounds.challengerLower() > bounds.holderUpper()) {
                    byParting = i;
                }
            }
            sooner += byDifference < byParting ? 1 : 0;
            later += byDifference > byParting ? 1 : 0;
        }
        assertThat(sooner).as("streams out of 40, %d later", later).isGreaterThan(30);
    }

    @Test
    void anInjectedBadPromotionIsRolledBackAndAGoodOneIsNot() {
        assertThat(rollbacks(0.3, 0.0)).as("bad promotions rolled back").isGreaterThan(30);
        assertThat(rollbacks(0.3, 0.6)).as("good promotions rolled back").isLessThanOrEqualTo(2);
    }

    /** The number of 40 streams in which the gate rolls back a promotion by command. */
    private static int rollbacks(double previous, double promoted) {
        int rollbacks = 0;
        for (int s = 0; s < 40; s++) {
            Gate gate = Gate.start(GATED);
            gate.command(
                    new RolloutCommand(
                            RolloutCommand.Action.PROMOTE,
                            OptionalLong.of(2),
                            OptionalDouble.empty(),
                            "injected"),
                    0);
            // Examples of the promoted version, with the weights of the previous version.
            for (var event : new SimulatedDuel(promoted, previous, s).events(4_000, s)) {
                var change =
                        gate.observe(
                                Compared.example(
                                        2, 0.0, 1.0, event.challengerWeight(), event.reward()));
                if (change.isPresent() && change.get().startsGeneration()) {
                    assertThat(change.get().kind()).isEqualTo(RolloutChange.Kind.ROLLED_BACK);
                    assertThat(gate.rollout().activeVersion()).isEqualTo(1);
                    rollbacks++;
                    break;
                }
            }
        }
        return rollbacks;
    }

    @Test
    void theSimulatedOrderIsTheTrueOne() {
        double better = 0;
        for (int s = 0; s < STREAMS; s++) {
            assertThat(new SimulatedDuel(0.3, 0.2, s).gap()).as("stream %d", s).isNegative();
            assertThat(new SimulatedDuel(0.3, 0.295, s).gap()).as("stream %d", s).isNegative();
            better += new SimulatedDuel(0.3, 0.6, s).gap() / STREAMS;
        }
        assertThat(better).as("mean gap of the better candidates").isBetween(0.05, 0.15);
    }
}
