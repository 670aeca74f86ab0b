package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.lang.management.ManagementFactory;
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
                    gate.observe(gate.rollout().activeVersion(), i % 2 * 2.0, 1.0, 1.0, i % 2);
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
            change = gate.observe(gate.rollout().activeVersion(), 1.0, 1.0, 1.0, i % 2);
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
            assertThat(gate.observe(1, 0.0, 1.0, i % 2 * 2.0, i % 2)).isEmpty();
        }
    }

    @Test
    void manualModeWaitsForAPerson() {
        Gate gate = start(RolloutMode.MANUAL);
        assertThat(gate.offer(1).orElseThrow().rollout().stage()).isEqualTo(Stage.SHADOW);
        for (int i = 0; i < 500; i++) {
            assertThat(gate.observe(0, i % 2 * 2.0, 1.0, 0.0, i % 2)).isEmpty();
        }
        assertThat(gate.candidateBounds().orElseThrow().differenceLower()).isPositive();
        RolloutChange change = gate.command(ask(Action.PROMOTE));
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
            assertThat(gate.observe(2, 2.0, 1.0, 1.0, 1.0)).isEmpty();
            assertThat(gate.observe(4, 2.0, 1.0, 1.0, 1.0)).isEmpty();
        }
        assertThat(gate.candidateBounds().orElseThrow().examples()).isZero();
    }

    @Test
    void aCandidateIsReplacedByANewerOneAfterItsTurn() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        assertThat(gate.offer(2)).as("version 1 has its turn").isEmpty();
        assertThat(observeNeutral(gate, 99)).isEmpty();
        assertThat(gate.offer(3)).isEmpty();
        RolloutChange change = observeNeutral(gate, 1).orElseThrow();
        assertThat(change.kind()).isEqualTo(Kind.CANDIDATE);
        assertThat(change.rollout().candidateVersion()).as("the newest").hasValue(3);
        assertThat(change.reason())
                .isEqualTo("version 3 replaces version 1, which was not promoted in its turn");
        assertThat(change.bounds().orElseThrow().examples()).isEqualTo(100);
        assertThat(gate.candidateBounds().orElseThrow().examples()).isZero();
        assertThat(gate.candidateBounds().orElseThrow().delta())
                .isLessThan(change.bounds().orElseThrow().delta());
    }

    @Test
    void aCandidateWhoseTurnIsOverContinuesUntilThereIsANewerOne() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        assertThat(observeNeutral(gate, 250)).isEmpty();
        assertThat(gate.offer(2).orElseThrow().rollout().candidateVersion()).hasValue(2);
    }

    @Test
    void aPausedGateContinuesToCompareButChangesNothing() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        assertThat(gate.command(ask(Action.PAUSE)).kind()).isEqualTo(Kind.PAUSED);
        assertThat(gate.command(ask(Action.PAUSE)).kind()).isEqualTo(Kind.REFUSED);
        for (int i = 0; i < 500; i++) {
            assertThat(gate.observe(0, i % 2 * 2.0, 1.0, 0.0, i % 2)).isEmpty();
        }
        assertThat(gate.offer(2)).isEmpty();
        assertThat(gate.command(ask(Action.RESUME)).rollout().paused()).isFalse();
        assertThat(gate.command(ask(Action.RESUME)).kind()).isEqualTo(Kind.REFUSED);
        RolloutChange change = gate.observe(0, 1.0, 1.0, 0.0, 0.0).orElseThrow();
        assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(change.rollout().activeVersion()).isEqualTo(1);
    }

    @Test
    void whatWasOfferedDuringAPauseIsPromotedAfterItInImmediateMode() {
        Gate gate = start(RolloutMode.IMMEDIATE);
        gate.command(ask(Action.PAUSE));
        assertThat(gate.offer(1)).isEmpty();
        assertThat(gate.offer(2)).isEmpty();
        gate.command(ask(Action.RESUME));
        assertThat(gate.observe(0, 0, 1, 0, 1).orElseThrow().rollout().activeVersion())
                .isEqualTo(2);
    }

    @Test
    void aRollbackByCommandReturnsToThePreviousVersion() {
        Gate gate = start(RolloutMode.MANUAL);
        assertThat(gate.command(ask(Action.ROLLBACK)).reason())
                .isEqualTo("there is no previous version to return to");
        gate.command(ask(Action.PROMOTE, 7));
        RolloutChange change = gate.command(ask(Action.ROLLBACK));
        assertThat(change.kind()).isEqualTo(Kind.ROLLED_BACK);
        assertThat(change.startsGeneration()).isTrue();
        assertThat(change.rollout().stage()).isEqualTo(Stage.ROLLED_BACK);
        assertThat(change.rollout().activeVersion()).isZero();
        assertThat(gate.command(ask(Action.ROLLBACK)).kind()).isEqualTo(Kind.REFUSED);
        assertThat(gate.command(ask(Action.ROLLBACK, 5)).rollout().activeVersion()).isEqualTo(5);
    }

    @Test
    void impossibleCommandsAreRefusedWithTheReason() {
        Gate gate = start(RolloutMode.MANUAL, 3);
        assertThat(gate.command(ask(Action.PROMOTE)).reason())
                .isEqualTo("there is no candidate to promote");
        assertThat(gate.command(ask(Action.PROMOTE, 3)).reason())
                .isEqualTo("version 3 is active already");
        assertThat(gate.command(canary(0.1)).reason())
                .isEqualTo("there is no candidate for a canary");
        assertThat(gate.command(ask(Action.ROLLBACK, 3)).kind()).isEqualTo(Kind.REFUSED);
        assertThat(gate.rollout()).isEqualTo(Rollout.start(3));
    }

    @Test
    void aCanaryHasItsShareUntilItIsTakenBack() {
        Gate gate = start(RolloutMode.MANUAL);
        gate.offer(1);
        RolloutChange change = gate.command(canary(0.1));
        assertThat(change.kind()).isEqualTo(Kind.CANARY);
        assertThat(change.rollout().stage()).isEqualTo(Stage.CANARY);
        assertThat(change.rollout().share()).isEqualTo(0.1);
        assertThat(gate.offer(2)).as("newer ones wait").isEmpty();
        RolloutChange ended = gate.command(ask(Action.ROLLBACK));
        assertThat(ended.kind()).isEqualTo(Kind.CANARY_ENDED);
        assertThat(ended.startsGeneration()).isFalse();
        assertThat(ended.rollout().activeVersion()).isZero();
        assertThat(ended.rollout().share()).isZero();
    }

    @Test
    void aWorseCanaryLosesItsShareByItsOwnEvents() {
        Gate gate = start(RolloutMode.GATED);
        gate.offer(1);
        gate.command(canary(0.5));
        Optional<RolloutChange> change = Optional.empty();
        for (int i = 0; i < 1_000 && change.isEmpty(); i++) {
            change = gate.observe(1, 1.0, i % 2 * 2.0, 0.0, i % 2);
        }
        assertThat(change.orElseThrow().kind()).isEqualTo(Kind.CANARY_ENDED);
        assertThat(gate.rollout().activeVersion()).isZero();
    }

    @Test
    void aVersionThatPassesGetsItsCanaryShareFirstAndAllAfterItsTurn() {
        Gate gate = Gate.start(spec(RolloutMode.GATED).with(LoopSettings.CANARY_SHARE, 0.2));
        gate.offer(1);
        RolloutChange passed = observeGood(gate);
        assertThat(passed.kind()).isEqualTo(Kind.CANARY);
        assertThat(passed.rollout().share()).isEqualTo(0.2);
        for (int i = 0; i < 99; i++) {
            assertThat(gate.observe(1, 1.0, 1.0, 0.0, i % 2)).isEmpty();
        }
        RolloutChange all = gate.observe(1, 1.0, 1.0, 0.0, 1.0).orElseThrow();
        assertThat(all.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(all.rollout().activeVersion()).isEqualTo(1);
        assertThat(all.rollout().share()).isZero();
    }

    @Test
    void brokenNumbersAreRefusedAndChangeNothing() {
        Gate gate = start(RolloutMode.GATED);
        gate.command(ask(Action.PROMOTE, 1));
        gate.offer(2);
        GateState before = gate.state();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.observe(1, Double.NaN, 1.0, 1.0, 1.0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.observe(1, 1.0, 1.0, -1.0, 1.0))
                .withMessage("previousWeight must be in [0, 1e100], got -1.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> gate.observe(1, 1.0, 1.0, 1.0, 1.5))
                .withMessage("reward must be in [0, 1], got 1.5");
        assertThat(gate.state()).isEqualTo(before);
    }

    @Test
    void aRestartBetweenAnyTwoExamplesChangesNoDecision() {
        List<RolloutChange> uninterrupted = changes(false);
        assertThat(uninterrupted)
                .extracting(RolloutChange::kind)
                .contains(Kind.CANDIDATE, Kind.CANARY, Kind.PROMOTED, Kind.ROLLED_BACK);
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
        for (int i = 0; i < 6_000; i++) {
            if (restarts) {
                gate = Gate.restore(spec, gate.state());
            }
            if (i % 400 == 0) {
                gate.offer(1 + i / 400).ifPresent(changes::add);
            }
            Rollout now = gate.rollout();
            boolean byCanary = random.nextDouble() < now.share();
            double reward = random.nextInt(2);
            double high = reward > 0 ? 1.6 : 0.4;
            // Candidates are good in the first half; afterwards the previous version is better.
            (byCanary
                            ? gate.observe(now.candidateVersion().orElseThrow(), 1, 1, 1, reward)
                            : gate.observe(
                                    now.activeVersion(),
                                    i < 3_000 ? high : 1.0,
                                    1.0,
                                    i < 3_000 ? 1.0 : high,
                                    reward))
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
        gate.command(ask(Action.PROMOTE, 1));
        gate.offer(2);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int warmUp = 0; warmUp < 500 && least > 0; warmUp++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            observeNeutral(gate, 100);
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
