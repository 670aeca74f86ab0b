package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.ComparedExample.Evidence;
import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

final class GateTest {

    private static LoopSpec spec(RolloutMode mode) {
        return LoopSpec.builder("loop")
                .vectors(1, "a", "b")
                .set(LoopSettings.ROLLOUT_MODE, mode)
                .set(LoopSettings.DELTA, 0.05)
                .set(LoopSettings.CANDIDATE_EXAMPLES, 100L)
                .set(LoopSettings.CANARY_SHARE, 0.0) // see CanaryTest
                .build();
    }

    private static Gate start(RolloutMode mode) {
        return Gate.start(spec(mode));
    }

    /** The gate of a new loop. */
    private static Gate start(RolloutMode mode, long version) {
        PolicySnapshot first =
                PolicySnapshot.of("loop", version, DenseModel.zeros(2, 1), Optional.empty());
        return Gate.start(spec(mode).with(LoopSettings.STARTING_POLICY, Optional.of(first)));
    }

    private static RolloutCommand ask(Action action) {
        return new RolloutCommand(action, OptionalLong.empty(), OptionalDouble.empty(), "because");
    }

    private static RolloutCommand ask(Action action, long version) {
        return new RolloutCommand(
                action, OptionalLong.of(version), OptionalDouble.empty(), "because");
    }

    private static RolloutCommand canary(double share) {
        return new RolloutCommand(
                Action.CANARY, OptionalLong.empty(), OptionalDouble.of(share), "because");
    }

    /** Adds examples of the active version in favour of the candidate, until something changes. */
    private static RolloutChange observeGood(Gate gate) {
        for (int i = 0; i < 1_000; i++) {
            Optional<RolloutChange> change =
                    gate.observe(
                            Compared.example(
                                    gate.rollout().activeVersion(), i % 2 * 2.0, 1.0, 1.0, i % 2));
            if (change.isPresent()) {
                return change.get();
            }
        }
        throw new AssertionError("nothing has changed");
    }

    /** Adds examples that are in favour of neither version. */
    private static Optional<RolloutChange> observeNeutral(Gate gate, int n) {
        Optional<RolloutChange> change = Optional.empty();
        for (int i = 0; i < n && change.isEmpty(); i++) {
            change =
                    gate.observe(
                            Compared.example(gate.rollout().activeVersion(), 1.0, 1.0, 1.0, i % 2));
        }
        return change;
    }

    @Test
    void immediateModePromotesEachCandidate() {
        Gate gate = start(RolloutMode.IMMEDIATE);
        for (long version = 1; version <= 3; version++) {
            RolloutChange change = gate.offer(version).orElseThrow();
            assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
            assertThat(change.startsGeneration()).isTrue();
            assertThat(change.sequence()).isEqualTo(version);
            assertThat(change.rollout().stage()).isEqualTo(Stage.FULL);
            assertThat(change.rollout().activeVersion()).isEqualTo(version);
            assertThat(change.rollout().previousVersion()).hasValue(version - 1);
        }
    }

    @Test
    void immediateModeNeverRollsBackByItself() {
        Gate gate = start(RolloutMode.IMMEDIATE);
        gate.offer(1);
        for (int i = 0; i < 1_000; i++) {
            assertThat(gate.observe(Compared.example(1, 0.0, 1.0, i % 2 * 2.0, i % 2))).isEmpty();
        }
    }

    @Test
    void manualModeWaitsForAPerson() {
        Gate gate = start(RolloutMode.MANUAL);
        assertThat(gate.offer(1).orElseThrow().rollout().stage()).isEqualTo(Stage.SHADOW);
        for (int i = 0; i < 500; i++) {
            assertThat(gate.observe(Compared.example(0, i % 2 * 2.0, 1.0, 0.0, i % 2))).isEmpty();
        }
        assertThat(gate.candidateBounds().orElseThrow().differenceLower()).isPositive();
        RolloutChange change = gate.command(ask(Action.PROMOTE), 0);
        assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(change.reason()).isEqualTo("because");
        assertThat(change.bounds()).isPresent();
        assertThat(change.rollout().activeVersion()).isEqualTo(1);
    }

    @Test
    void manualModeHasTheNewestCandidate() {
        Gate gate = start(RolloutMode.MANUAL);
        gate.offer(1);
        assertThat(gate.offer(2).orElseThrow().rollout().candidateVersion()).hasValue(2);
    }

    @Test
    void aBetterCandidateIsPromotedWithItsBounds() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        RolloutChange change = observeGood(gate);
        assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(change.rollout().activeVersion()).isEqualTo(1);
        GateBounds bounds = change.bounds().orElseThrow();
        assertThat(bounds.differenceLower()).isNotNegative();
        assertThat(bounds.delta()).isLessThan(0.05);
        assertThat(change.reason())
                .matches(
                        "version 1 is better than 0 by at least 0\\.\\d{4}, with error probability 0\\.0304,"
                                + " after \\d+ examples");
    }

    @Test
    void examplesOfOtherVersionsAreIgnored() {
        Gate gate = start(RolloutMode.GATED, 3);
        gate.offer(4);
        for (int i = 0; i < 500; i++) {
            assertThat(gate.observe(Compared.example(2, 2.0, 1.0, 1.0, 1.0))).isEmpty();
            assertThat(gate.observe(Compared.example(4, 2.0, 1.0, 1.0, 1.0))).isEmpty();
        }
        assertThat(gate.candidateBounds().orElseThrow().examples()).isZero();
    }

    @Test
    void aNewerCandidateContinuesTheComparisonOfAnOlderOne() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        assertThat(observeNeutral(gate, 40)).isEmpty();
        RolloutChange change = gate.offer(2).orElseThrow();
        assertThat(change.kind()).isEqualTo(Kind.CANDIDATE);
        assertThat(change.rollout().candidateVersion()).hasValue(2);
        assertThat(change.reason())
                .isEqualTo("version 2 replaces version 1; the comparison goes on");
        assertThat(gate.candidateBounds().orElseThrow().examples()).isEqualTo(40);
        assertThat(gate.state().comparedSoFar()).as("the same share of delta").isEqualTo(1);
        assertThat(observeGood(gate).rollout().activeVersion()).as("the newest").isEqualTo(2);
    }

    @Test
    void aComparisonStartsAgainWhenItsTurnIsOver() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        assertThat(observeNeutral(gate, 99)).isEmpty();
        assertThat(gate.candidateBounds().orElseThrow().examples()).isEqualTo(99);
        assertThat(observeNeutral(gate, 1)).isEmpty();
        assertThat(gate.candidateBounds().orElseThrow().examples()).isZero();
        assertThat(gate.candidateBounds().orElseThrow().delta())
                .as("another share of delta")
                .isLessThan(0.01);
        assertThat(gate.rollout().candidateVersion()).hasValue(1);
    }

    @Test
    void aPausedGateContinuesToCompareButChangesNothing() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        assertThat(gate.command(ask(Action.PAUSE), 0).kind()).isEqualTo(Kind.PAUSED);
        assertThat(gate.command(ask(Action.PAUSE), 0).kind()).isEqualTo(Kind.REFUSED);
        for (int i = 0; i < 500; i++) {
            assertThat(gate.observe(Compared.example(0, i % 2 * 2.0, 1.0, 0.0, i % 2))).isEmpty();
        }
        assertThat(gate.offer(2)).isEmpty();
        assertThat(gate.command(ask(Action.RESUME), 0).rollout().paused()).isFalse();
        assertThat(gate.command(ask(Action.RESUME), 0).kind()).isEqualTo(Kind.REFUSED);
        RolloutChange change = gate.observe(Compared.example(0, 1.0, 1.0, 0.0, 0.0)).orElseThrow();
        assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(change.rollout().activeVersion()).isEqualTo(1);
    }

    @Test
    void whatWasOfferedDuringAPauseIsPromotedAfterItInImmediateMode() {
        Gate gate = start(RolloutMode.IMMEDIATE);
        gate.command(ask(Action.PAUSE), 0);
        assertThat(gate.offer(1)).isEmpty();
        assertThat(gate.offer(2)).isEmpty();
        gate.command(ask(Action.RESUME), 0);
        assertThat(
                        gate.observe(Compared.example(0, 0, 1, 0, 1))
                                .orElseThrow()
                                .rollout()
                                .activeVersion())
                .isEqualTo(2);
    }

    @Test
    void aRollbackByCommandReturnsToThePreviousVersion() {
        Gate gate = start(RolloutMode.MANUAL);
        assertThat(gate.command(ask(Action.ROLLBACK), 0).reason())
                .isEqualTo("there is no previous version to return to");
        gate.command(ask(Action.PROMOTE, 7), 0);
        RolloutChange change = gate.command(ask(Action.ROLLBACK), 0);
        assertThat(change.kind()).isEqualTo(Kind.ROLLED_BACK);
        assertThat(change.startsGeneration()).isTrue();
        assertThat(change.rollout().stage()).isEqualTo(Stage.ROLLED_BACK);
        assertThat(change.rollout().activeVersion()).isZero();
        assertThat(gate.command(ask(Action.ROLLBACK), 0).kind()).isEqualTo(Kind.REFUSED);
        assertThat(gate.command(ask(Action.ROLLBACK, 5), 0).rollout().activeVersion()).isEqualTo(5);
    }

    @Test
    void impossibleCommandsAreRefusedWithTheReason() {
        Gate gate = start(RolloutMode.MANUAL, 3);
        assertThat(gate.command(ask(Action.PROMOTE), 0).reason())
                .isEqualTo("there is no candidate to promote");
        assertThat(gate.command(ask(Action.PROMOTE, 3), 0).reason())
                .isEqualTo("version 3 is active already");
        assertThat(gate.command(canary(0.1), 0).reason())
                .isEqualTo("there is no candidate for a canary");
        assertThat(gate.command(ask(Action.ROLLBACK, 3), 0).kind()).isEqualTo(Kind.REFUSED);
        assertThat(gate.rollout()).isEqualTo(Rollout.start(3));
    }

    @Test
    void aCanaryHasItsShareUntilItIsTakenBack() {
        Gate gate = start(RolloutMode.MANUAL);
        gate.offer(1);
        RolloutChange change = gate.command(canary(0.1), 0);
        assertThat(change.kind()).isEqualTo(Kind.CANARY);
        assertThat(change.rollout().stage()).isEqualTo(Stage.CANARY);
        assertThat(change.rollout().share()).isEqualTo(0.1);
        assertThat(gate.offer(2)).as("newer ones wait").isEmpty();
        RolloutChange ended = gate.command(ask(Action.ROLLBACK), 0);
        assertThat(ended.kind()).isEqualTo(Kind.CANARY_ENDED);
        assertThat(ended.startsGeneration()).isFalse();
        assertThat(ended.rollout().activeVersion()).isZero();
        assertThat(ended.rollout().share()).isZero();
    }

    @Test
    void aWorseCanaryOfAPersonLosesItsShare() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        gate.command(canary(0.5), 0);
        Optional<RolloutChange> change = Optional.empty();
        for (int i = 0; i < 1_000 && change.isEmpty(); i++) {
            change = gate.observe(Compared.split(0, 0.5, 0.0, i % 2 * 2.0, i % 2));
        }
        assertThat(change.orElseThrow().kind()).isEqualTo(Kind.CANARY_ENDED);
        assertThat(gate.rollout().activeVersion()).isZero();
    }

    @Test
    void theTurnDoublesEachTimeThatNothingIsPromoted() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        for (int turns = 1; turns <= 4; turns++) {
            observeNeutral(gate, (100 << (turns - 1)) - 1);
            assertThat(gate.state().comparedSoFar()).isEqualTo(turns);
            observeNeutral(gate, 1);
            assertThat(gate.state().comparedSoFar()).isEqualTo(turns + 1);
        }
        gate.command(ask(Action.PROMOTE), 0);
        gate.offer(6);
        observeNeutral(gate, 99);
        assertThat(gate.state().comparedSoFar()).as("a new generation begins").isEqualTo(6);
        observeNeutral(gate, 1);
        assertThat(gate.state().comparedSoFar()).isEqualTo(7);
    }

    @Test
    void aComparisonWithHalfOfTheEvidenceGoesOnAfterItsTurn() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        int rewarded = 0;
        while (evidence(gate) < 0.5) {
            rewarded++;
            assertThat(gate.observe(Compared.example(0, 1.5, 1.0, 1.0, 1.0))).isEmpty();
        }
        assertThat(rewarded).isLessThan(50);
        for (int i = rewarded; i < 300; i++) { // without a reward the evidence does not change
            assertThat(gate.observe(Compared.example(0, 1.0, 1.0, 1.0, 0.0))).isEmpty();
        }
        assertThat(gate.state().comparedSoFar()).isEqualTo(1);
        while (gate.state().comparedSoFar() == 1) {
            gate.observe(Compared.example(0, 0.9, 1.0, 1.0, 1.0));
        }
        assertThat(gate.candidateBounds().orElseThrow().examples())
                .as("the evidence is gone")
                .isZero();
    }

    private static double evidence(Gate gate) {
        return PolicyComparison.restore(gate.state().candidate().orElseThrow()).evidence(0.0);
    }

    @Test
    void aCanaryThatIsNotShownToBeBetterMakesRoomForANewerCandidate() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        gate.command(canary(0.5), 0);
        gate.offer(2);
        for (int i = 0; i < 99; i++) {
            assertThat(gate.observe(Compared.split(0, 0.5, 1.0, 1.0, i % 2))).isEmpty();
        }
        RolloutChange change = gate.observe(Compared.split(0, 0.5, 1.0, 1.0, 1)).orElseThrow();
        assertThat(change.kind()).isEqualTo(Kind.CANDIDATE);
        assertThat(change.rollout().stage()).isEqualTo(Stage.SHADOW);
        assertThat(change.rollout().candidateVersion()).hasValue(2);
    }

    @Test
    void aWrongPropensityClosesTheGateUntilAHundredAreCorrect() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        observeNeutral(gate, 50);
        assertThat(gate.trusted()).isTrue();
        RolloutChange closed =
                gate.observe(Compared.mismatched(Compared.example(0, 2.0, 1.0, 1.0, 1.0)))
                        .orElseThrow();
        assertThat(closed.kind()).isEqualTo(Kind.GATE_CLOSED);
        assertThat(closed.rollout().closedReason())
                .contains("a logged propensity differs from the recomputed one");
        assertThat(gate.candidateBounds()).as("bounds are withheld").isEmpty();
        assertThat(gate.trusted()).isFalse();
        for (int i = 0; i < 99; i++) {
            assertThat(gate.observe(Compared.example(0, i % 2 * 2.0, 1.0, 1.0, i % 2))).isEmpty();
        }
        assertThat(gate.observe(Compared.mismatched(Compared.example(0, 1, 1, 1, 1))))
                .as("it was closed already")
                .isEmpty();
        for (int i = 0; i < 99; i++) {
            assertThat(gate.observe(Compared.example(0, i % 2 * 2.0, 1.0, 1.0, i % 2))).isEmpty();
        }
        RolloutChange opened = gate.observe(Compared.example(0, 1, 1, 1, 1)).orElseThrow();
        assertThat(opened.kind()).isEqualTo(Kind.GATE_OPENED);
        assertThat(opened.rollout().closedReason()).isEmpty();
        assertThat(gate.candidateBounds().orElseThrow().examples()).as("start again").isZero();
        assertThat(gate.state().comparedSoFar()).as("with another share of delta").isEqualTo(2);
        assertThat(observeGood(gate).rollout().activeVersion()).isEqualTo(1);
        assertThat(gate.trusted()).as("a new generation").isTrue();
    }

    @Test
    void eachClosingOfAGenerationDoublesTheNumberOfCorrectPropensitiesUpToTenThousand() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        List<Integer> needed = new ArrayList<>();
        for (int closing = 0; closing < 9; closing++) {
            gate.observe(Compared.mismatched(Compared.example(0, 1, 1, 1, 1)));
            gate = Gate.restore(spec(RolloutMode.GATED), gate.state());
            needed.add(correctUntilOpen(gate));
        }
        assertThat(needed).containsExactly(100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000);
        gate.command(ask(Action.PROMOTE), 0);
        gate.observe(Compared.mismatched(Compared.example(1, 1, 1, 1, 1)));
        assertThat(correctUntilOpen(gate)).as("in a new generation").isEqualTo(100);
    }

    /** The number of correct propensities after which a closed gate opens. */
    private static int correctUntilOpen(Gate gate) {
        int correct = 0;
        while (gate.rollout().closedReason().isPresent()) {
            gate.observe(Compared.example(gate.rollout().activeVersion(), 1, 1, 1, 0));
            correct++;
        }
        return correct;
    }

    @Test
    void aPromotionWhileTheGateIsClosedDoesNotOpenItSooner() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        gate.observe(Compared.mismatched(Compared.example(0, 1, 1, 1, 1)));
        gate.command(ask(Action.PROMOTE), 0);
        gate.observe(Compared.mismatched(Compared.example(1, 1, 1, 1, 1)));
        assertThat(correctUntilOpen(gate)).isEqualTo(100);
        assertThat(gate.trusted()).as("the rest of the generation").isFalse();
    }

    @Test
    void anEstimatedPropensityClosesTheGate() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        for (int i = 0; i < 5_000; i++) {
            gate.observe(
                    Compared.with(
                            Compared.example(0, i % 2 * 2.0, 1.0, 1.0, i % 2), Evidence.INEXACT));
        }
        assertThat(gate.rollout().activeVersion()).isZero();
        assertThat(gate.rollout().closedReason()).contains("a logged propensity is an estimate");
    }

    @Test
    void aMeanWeightThatIsNotOneClosesTheGate() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        Optional<RolloutChange> change = Optional.empty();
        for (int i = 0; i < 1_000 && change.isEmpty(); i++) {
            change = gate.observe(Compared.example(0, 2.0, 1.0, 1.0, 0.0));
        }
        assertThat(change.orElseThrow().kind()).isEqualTo(Kind.GATE_CLOSED);
        assertThat(change.get().reason())
                .isEqualTo("the mean importance weight of a candidate is not 1");
        assertThat(correctUntilOpen(gate)).as("they looked correct before").isEqualTo(10_000);
    }

    @Test
    void examplesOfAnotherDecisionRuleAreIgnored() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        for (int i = 0; i < 500; i++) {
            ComparedExample good = Compared.example(0, i % 2 * 2.0, 1.0, 1.0, i % 2);
            assertThat(gate.observe(Compared.with(good, Evidence.OTHER_RULE))).isEmpty();
        }
        assertThat(gate.candidateBounds().orElseThrow().examples()).isZero();
    }

    @Test
    void aChangeOfTheFloorKeepsTheEvidenceAndAChangeOfTheTemperatureDoesNot() {
        LoopSpec spec = spec(RolloutMode.GATED);
        Gate gate = Gate.start(spec);
        gate.offer(1);
        observeNeutral(gate, 50);
        LoopSpec floor =
                spec.toBuilder()
                        .at(2, Instant.EPOCH)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.3)
                        .build();
        Gate floored = gate.changedTo(spec, floor);
        assertThat(floored.candidateBounds().orElseThrow().examples()).isEqualTo(50);
        assertThat(floored.hasRuleInForce(1, 2)).isFalse();
        assertThat(floored.hasRuleInForce(2, 2)).isTrue();
        assertThat(floored.hasRuleInForce(3, 2)).as("not known yet").isFalse();
        LoopSpec hotter =
                floor.toBuilder()
                        .at(3, Instant.EPOCH)
                        .set(LoopSettings.INVERSE_TEMPERATURE, 2.0)
                        .build();
        Gate heated = floored.changedTo(floor, hotter);
        assertThat(heated.candidateBounds().orElseThrow().examples()).isZero();
        assertThat(heated.state().comparedSoFar()).as("another share of delta").isEqualTo(2);
        LoopSpec longer =
                hotter.toBuilder()
                        .at(4, Instant.EPOCH)
                        .set(LoopSettings.CANDIDATE_EXAMPLES, 7L)
                        .build();
        assertThat(heated.changedTo(hotter, longer).hasRuleInForce(3, 4)).isTrue();
    }

    @Test
    void aChangeOfWhatIsComparedStartsAgainAndIgnoresDecisionsInFlight() {
        LoopSpec spec = spec(RolloutMode.GATED);
        List<LoopSpec.Builder> changes =
                List.of(
                        spec.toBuilder().set(LoopSettings.NORM_BOUND, OptionalDouble.of(2.0)),
                        spec.toBuilder().set(LoopSettings.DEFAULT_REWARD, 0.1),
                        spec.toBuilder()
                                .set(LoopSettings.REWARD_AGGREGATION, RewardAggregation.LAST),
                        spec.toBuilder()
                                .set(LoopSettings.ATTRIBUTION_WINDOW, Duration.ofMinutes(1)));
        for (LoopSpec.Builder change : changes) {
            Gate gate = Gate.start(spec);
            gate.offer(1);
            observeNeutral(gate, 50);
            Gate changed = gate.changedTo(spec, change.at(2, Instant.EPOCH).build());
            assertThat(changed.candidateBounds().orElseThrow().examples()).isZero();
            assertThat(changed.hasRuleInForce(1, 2)).isFalse();
        }
    }

    @Test
    void aNewMinimumGainStartsAgain() {
        LoopSpec spec = spec(RolloutMode.GATED);
        Gate gate = Gate.start(spec);
        gate.offer(1);
        observeNeutral(gate, 50);
        Gate changed = gate.changedTo(spec, spec.with(LoopSettings.MINIMUM_GAIN, -0.001));
        assertThat(changed.candidateBounds().orElseThrow().examples()).isZero();
    }

    @Test
    void rareWrongPropensitiesDoNotExtendTheTurnOfACandidate() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        gate.offer(2);
        long seats = 1;
        for (int i = 0; i < 20_000; i++) {
            ComparedExample neutral = Compared.example(0, 1.0, 1.0, 1.0, i % 2);
            gate.observe(i % 3_000 == 2_999 ? Compared.mismatched(neutral) : neutral);
            if (gate.waiting().isEmpty()) {
                seats++;
                gate.offer(2 + seats);
            }
        }
        assertThat(seats).as("turns of 100, 200, 400 and so on").isGreaterThan(5);
    }

    @Test
    void aCanaryThatIsNotBetterMakesRoomForABetterRegisteredCandidate() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        gate.command(canary(0.01), 0);
        gate.register(2, 0, "better");
        for (int i = 0; i < 1_000 && gate.rollout().activeVersion() == 0; i++) {
            gate.observe(Compared.registered(0, i % 2, i % 2 * 2.0));
        }
        assertThat(gate.rollout().activeVersion()).isEqualTo(2);
    }

    /** A registered version may have been learned from decisions whose examples come later. */
    @Test
    void aCanaryOfARegisteredVersionIsComparedOnLaterDecisionsOnly() {
        long registeredAt = Compared.TIME + 1;
        RolloutCommand canary =
                new RolloutCommand(
                        Action.CANARY,
                        OptionalLong.of(2),
                        OptionalDouble.of(0.1),
                        Optional.empty(),
                        "why");
        Gate gate = start(RolloutMode.GATED);
        gate.register(2, registeredAt, "trained offline");
        gate.command(canary, registeredAt);
        gate.command(ask(Action.ROLLBACK), registeredAt); // ends the canary and its comparison
        gate.command(canary, registeredAt);
        gate.register(3, registeredAt, "trained offline");
        gate.command(
                new RolloutCommand(
                        Action.CANARY,
                        OptionalLong.of(3),
                        OptionalDouble.of(0.1),
                        Optional.empty(),
                        "why"),
                registeredAt);
        assertThat(gate.rollout().registeredVersions()).as("it stays").containsExactly(2L);
        assertThat(gate.waiting()).isEmpty();
        for (int i = 0; i < 1_000; i++) {
            gate.observe(Compared.registered(0, i % 2, i % 2 * 2.0)); // decided before
        }
        assertThat(gate.state().candidate().orElseThrow().sinceMs()).isEqualTo(registeredAt);
        assertThat(gate.state().registered().get(0).sinceMs()).isEqualTo(registeredAt);
        assertThat(gate.state().registered().get(0).difference().counts())
                .allMatch(count -> count == 0);
    }

    @Test
    void aClosedGatePromotesAllTheSameInImmediateMode() {
        Gate gate = start(RolloutMode.IMMEDIATE);
        gate.observe(Compared.with(Compared.example(0, 1, 1, 1, 1), Evidence.INEXACT));
        gate.command(ask(Action.PAUSE), 0);
        gate.offer(1);
        gate.command(ask(Action.RESUME), 0);
        gate.observe(Compared.with(Compared.example(0, 1, 1, 1, 1), Evidence.INEXACT));
        assertThat(gate.rollout().activeVersion()).isEqualTo(1);
    }

    @Test
    void withAMinimumGainAChangeOfTheFloorStartsAgain() {
        LoopSpec spec = spec(RolloutMode.GATED).with(LoopSettings.MINIMUM_GAIN, 0.1);
        Gate gate = Gate.start(spec);
        gate.offer(1);
        observeNeutral(gate, 50);
        Gate floored = gate.changedTo(spec, spec.with(LoopSettings.EXPLORATION_FLOOR, 0.3));
        assertThat(floored.candidateBounds().orElseThrow().examples()).isZero();
    }

    @Test
    void theMinimumGainDelaysAPromotionAndANegativeOneAllowsAnEqualCandidate() {
        assertThat(examplesOfPromotion(0.2)).isGreaterThan(examplesOfPromotion(0.0));
        assertThat(examplesOfPromotion(0.0)).isGreaterThan(examplesOfPromotion(-0.2));
        Gate equal = Gate.start(spec(RolloutMode.GATED).with(LoopSettings.MINIMUM_GAIN, -0.2));
        equal.offer(1);
        assertThat(observeNeutral(equal, 500).orElseThrow().kind()).isEqualTo(Kind.PROMOTED);
    }

    /** Of a candidate whose true gain is 0.5. */
    private static long examplesOfPromotion(double minimumGain) {
        Gate gate =
                Gate.start(spec(RolloutMode.GATED).with(LoopSettings.MINIMUM_GAIN, minimumGain));
        gate.offer(1);
        RolloutChange change = observeGood(gate);
        assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
        return change.bounds().orElseThrow().examples();
    }

    @Test
    void registeredCandidatesAreComparedBesideTheLoopsOwn() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        RolloutChange change = gate.register(2, 0, "trained offline");
        assertThat(change.kind()).isEqualTo(Kind.REGISTERED);
        assertThat(change.rollout().registeredVersions()).containsExactly(2L);
        gate.register(3, 0, "a constant action");
        assertThat(gate.state().comparedSoFar()).as("they share delta").isEqualTo(3);
        Optional<RolloutChange> promoted = Optional.empty();
        for (int i = 0; i < 1_000 && promoted.isEmpty(); i++) {
            promoted = gate.observe(Compared.registered(0, i % 2, 1.0, i % 2 * 2.0));
        }
        assertThat(promoted.orElseThrow().kind()).isEqualTo(Kind.PROMOTED);
        assertThat(gate.rollout().activeVersion()).isEqualTo(3);
        assertThat(gate.rollout().registeredVersions()).as("stays").containsExactly(2L);
        assertThat(gate.state().registered().get(0).holder().count())
                .as("compared with the new active version")
                .isZero();
    }

    @Test
    void decisionsBeforeTheRegistrationDoNotCount() {
        Gate gate = start(RolloutMode.GATED);
        gate.register(2, Compared.TIME + 1, "it may have been learned from them");
        for (int i = 0; i < 1_000; i++) {
            assertThat(gate.observe(Compared.registered(0, i % 2, i % 2 * 2.0))).isEmpty();
        }
        assertThat(gate.state().registered().get(0).holder().count()).isZero();
    }

    @Test
    void aRegisteredCandidateKeepsItsEvidenceAsACanary() {
        Gate gate = start(RolloutMode.MANUAL);
        gate.offer(1);
        gate.register(2, 0, "trained offline");
        for (int i = 0; i < 500; i++) {
            gate.observe(Compared.registered(0, i % 2, i % 2 * 2.0));
        }
        gate.command(
                new RolloutCommand(
                        Action.CANARY, OptionalLong.of(2), OptionalDouble.of(0.1), "because"),
                0);
        assertThat(gate.rollout().candidateVersion()).hasValue(2);
        assertThat(gate.rollout().registeredVersions()).isEmpty();
        assertThat(gate.candidateBounds().orElseThrow().differenceLower()).isNotNegative();
        assertThat(gate.waiting()).as("its turn comes again").hasValue(1);
    }

    @Test
    void aRegisteredCandidateCanBeWithdrawnAndAFifthReplacesTheOldest() {
        Gate gate = start(RolloutMode.MANUAL);
        for (long version = 1; version <= 5; version++) {
            gate.register(version, 0, "why");
        }
        assertThat(gate.rollout().registeredVersions()).containsExactly(2L, 3L, 4L, 5L);
        assertThat(gate.command(ask(Action.WITHDRAW, 3), 0).kind()).isEqualTo(Kind.WITHDRAWN);
        assertThat(gate.rollout().registeredVersions()).containsExactly(2L, 4L, 5L);
        assertThat(gate.command(ask(Action.WITHDRAW, 3), 0).kind()).isEqualTo(Kind.REFUSED);
        assertThat(start(RolloutMode.IMMEDIATE).register(1, 0, "why").kind())
                .isEqualTo(Kind.REFUSED);
    }

    @Test
    void boundsAreReportedEachTimeTheExamplesDouble() {
        Gate gate = start(RolloutMode.MANUAL);
        gate.offer(1);
        List<Long> reported = new ArrayList<>();
        for (int i = 0; i < 9_000; i++) {
            gate.observe(Compared.example(0, 1.0, 1.0, 1.0, i % 2))
                    .ifPresent(
                            change -> {
                                assertThat(change.kind()).isEqualTo(Kind.COMPARED);
                                assertThat(change.reason())
                                        .startsWith("version 1 is compared with 0: better by at");
                                reported.add(change.bounds().orElseThrow().examples());
                            });
        }
        assertThat(reported).containsExactly(1_000L, 2_000L, 4_000L, 8_000L);
    }

    @Test
    void anExampleThatIsNotUsedReportsNothingAgain() {
        Gate gate = start(RolloutMode.MANUAL);
        gate.register(1, Compared.TIME, "trained offline");
        gate.command(
                new RolloutCommand(
                        Action.CANARY, OptionalLong.of(1), OptionalDouble.of(0.1), "because"),
                0);
        for (int i = 0; i < 1_000; i++) {
            gate.observe(Compared.example(0, 1.0, 1.0, 1.0, i % 2));
        }
        assertThat(gate.candidateBounds().orElseThrow().examples()).isEqualTo(1_000);
        ComparedExample early = Compared.before(Compared.example(0, 1.0, 1.0, 1.0, 1.0));
        assertThat(gate.observe(early)).as("decided before the registration").isEmpty();
    }

    @Test
    void brokenNumbersAreRefusedAndChangeNothing() {
        Gate gate = start(RolloutMode.GATED);
        gate.command(ask(Action.PROMOTE, 1), 0);
        gate.offer(2);
        GateState before = gate.state();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.observe(Compared.example(1, Double.NaN, 1.0, 1.0, 1.0)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.observe(Compared.example(1, 1.0, 1.0, -1.0, 1.0)))
                .withMessage("probability of a version must be in [0, 1], got -0.01");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.observe(Compared.example(1, 1.0, 1.0, 1.0, 1.5)))
                .withMessage("reward must be in [0, 1], got 1.5");
        assertThat(gate.state()).isEqualTo(before);
    }

    @Test
    void aRestartBetweenAnyTwoExamplesChangesNoDecision() {
        List<RolloutChange> uninterrupted = changes(false);
        assertThat(uninterrupted)
                .extracting(RolloutChange::kind)
                .contains(
                        Kind.CANDIDATE,
                        Kind.CANARY,
                        Kind.PROMOTED,
                        Kind.ROLLED_BACK,
                        Kind.COMPARED,
                        Kind.GATE_CLOSED,
                        Kind.GATE_OPENED);
        assertThat(changes(true)).isEqualTo(uninterrupted);
    }

    /** A sequence of events; with {@code restarts}, the gate is stored and restored before each. */
    private static List<RolloutChange> changes(boolean restarts) {
        LoopSpec spec =
                spec(RolloutMode.GATED)
                        .with(LoopSettings.CANDIDATE_EXAMPLES, 150L)
                        .with(LoopSettings.CANARY_SHARE, 0.3);
        EventRandom random = new EventRandom(5);
        List<RolloutChange> changes = new ArrayList<>();
        Gate gate = Gate.start(spec);
        for (int i = 0; i < 10_000; i++) {
            if (restarts) {
                gate = Gate.restore(spec, gate.state());
            }
            if (i % 400 == 0 && i < 6_000) {
                gate.offer(1 + i / 400).ifPresent(changes::add);
            }
            if (i == 6_000) {
                gate.observe(
                                Compared.mismatched(
                                        Compared.example(
                                                gate.rollout().activeVersion(), 1, 1, 1, 1)))
                        .ifPresent(changes::add);
            }
            Rollout now = gate.rollout();
            double reward = random.nextInt(2);
            double high = reward > 0 ? 1.6 : 0.4;
            // Candidates are good in the first half; afterwards the previous version is better.
            (now.share() > 0.0 && i < 3_000
                            ? gate.observe(
                                    Compared.split(
                                            now.activeVersion(), now.share(), high, 1.0, reward))
                            : gate.observe(
                                    Compared.example(
                                            now.activeVersion(),
                                            1.0,
                                            1.0,
                                            i < 3_000 ? 1.0 : high,
                                            reward)))
                    .ifPresent(changes::add);
        }
        return changes;
    }

    @Test
    void anExampleThatChangesNothingAllocatesNothing() {
        Gate gate =
                Gate.start(
                        spec(RolloutMode.GATED)
                                .with(LoopSettings.CANDIDATE_EXAMPLES, Long.MAX_VALUE));
        gate.command(ask(Action.PROMOTE, 1), 0);
        gate.offer(2);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        ComparedExample one = Compared.example(1, 1.0, 1.0, 1.0, 1.0);
        ComparedExample other = Compared.example(1, 1.0, 1.0, 1.0, 0.0);
        long least = Long.MAX_VALUE;
        for (int warmUp = 0; warmUp < 500 && least > 0; warmUp++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 50; i++) {
                gate.observe(one);
                gate.observe(other);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    @Test
    void aShareOfTheEventsIsTheCanarysWhateverTheirActions() {
        int events = 20_000;
        int taken = 0;
        double drawsOfTaken = 0.0;
        for (int i = 0; i < events; i++) {
            String id = "event-" + i;
            boolean small = CanaryShare.decidesCanary("loop", id, 0.1);
            if (small) {
                taken++;
                drawsOfTaken += EventRandom.ofAction("loop", id).nextDouble();
                assertThat(CanaryShare.decidesCanary("loop", id, 0.2)).isTrue();
            }
            assertThat(CanaryShare.decidesCanary("loop", id, 0.0)).isFalse();
            assertThat(CanaryShare.decidesCanary("loop", id, 1.0)).isTrue();
        }
        // Four standard errors: 0.0085 of a share of 0.1, and 0.026 of a mean of uniform draws.
        assertThat((double) taken / events).isBetween(0.0915, 0.1085);
        assertThat(drawsOfTaken / taken).isBetween(0.474, 0.526);
    }
}
