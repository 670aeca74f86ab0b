package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The share of the events that candidates decide while the gate compares them. */
final class CanaryTest {

    private static LoopSpec spec(double maxShare) {
        PolicySnapshot start =
                PolicySnapshot.of("loop", 0, DenseModel.zeros(2, 1), Optional.empty());
        return LoopSpec.builder("loop")
                .vectors(1, "a", "b")
                .set(LoopSettings.STARTING_POLICY, Optional.of(start))
                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED)
                .set(LoopSettings.CANARY_SHARE, maxShare)
                .set(LoopSettings.CANDIDATE_EXAMPLES, 100_000L)
                .build();
    }

    /**
     * Adds examples of greedy policies that choose different actions, as serving logs them: the
     * share of the candidate is that of the rollout.
     *
     * @return the shares after each change
     */
    private static List<Double> shares(
            Gate gate, double ofCandidate, double ofActive, int examples, EventRandom random) {
        List<Double> shares = new ArrayList<>();
        long active = gate.rollout().activeVersion();
        for (int i = 0; i < examples && gate.rollout().activeVersion() == active; i++) {
            double share = gate.rollout().share();
            boolean byCandidate = random.nextDouble() < share;
            double rate = byCandidate ? ofCandidate : ofActive;
            double reward = random.nextDouble() < rate ? 1.0 : 0.0;
            ComparedExample example =
                    share == 0.0
                            ? Compared.example(active, 0.0, 1.0, 0.0, reward)
                            : Compared.split(
                                    active,
                                    share,
                                    byCandidate ? 1.0 / share : 0.0,
                                    byCandidate ? 0.0 : 1.0 / (1.0 - share),
                                    reward);
            gate.observe(example)
                    .filter(change -> change.kind() == Kind.CANARY)
                    .ifPresent(change -> shares.add(change.rollout().share()));
        }
        return shares;
    }

    @Test
    void aCandidateStartsWithMoreEventsIfNobodyGaveTheActiveVersion() {
        Gate gate = Gate.start(spec(0.8).with(LoopSettings.STARTING_POLICY, Optional.empty()));
        assertThat(gate.offer(1).orElseThrow().rollout().share()).isEqualTo(0.4);
    }

    @Test
    void aCandidateStartsWithATenthOfTheEvents() {
        Gate gate = Gate.start(spec(0.8));
        RolloutChange change = gate.offer(1).orElseThrow();
        assertThat(change.kind()).isEqualTo(Kind.CANDIDATE);
        assertThat(change.rollout().stage()).isEqualTo(Stage.CANARY);
        assertThat(change.rollout().share()).isEqualTo(0.1);
        assertThat(Gate.start(spec(0.03)).offer(1).orElseThrow().rollout().share()).isEqualTo(0.03);
        assertThat(Gate.start(spec(0.0)).offer(1).orElseThrow().rollout().stage())
                .isEqualTo(Stage.SHADOW);
    }

    @Test
    void theShareOfABetterCandidateGrowsStepByStepUntilItIsPromoted() {
        Gate gate = Gate.start(spec(0.8));
        gate.offer(1);
        List<Double> shares = shares(gate, 0.14, 0.1, 50_000, new EventRandom(1));
        assertThat(shares).endsWith(0.2, 0.4, 0.8).doesNotContain(0.05, 0.02);
        assertThat(gate.rollout().activeVersion()).isEqualTo(1);
    }

    @Test
    void theShareOfAWorseCandidateFalls() {
        Gate gate = Gate.start(spec(0.8));
        gate.offer(1);
        shares(gate, 0.1, 0.3, 3_000, new EventRandom(2));
        assertThat(gate.rollout().activeVersion()).isZero();
        assertThat(gate.rollout().share()).isEqualTo(0.02);
        gate.offer(2);
        assertThat(gate.rollout().share()).as("of a newer candidate").isEqualTo(0.02);
    }

    @Test
    void theShareStaysBelowTheLimitOfTheSpec() {
        Gate gate = Gate.start(spec(0.3));
        gate.offer(1);
        assertThat(shares(gate, 0.3, 0.1, 10_000, new EventRandom(3)))
                .isNotEmpty()
                .allMatch(share -> share <= 0.3);
        LoopSpec spec = spec(0.8);
        Gate other = Gate.start(spec);
        other.offer(1);
        LoopSpec less =
                spec.toBuilder().at(2, Instant.EPOCH).set(LoopSettings.CANARY_SHARE, 0.04).build();
        assertThat(other.changedTo(spec, less).rollout().share()).isEqualTo(0.04);
        LoopSpec manual =
                spec.toBuilder()
                        .at(2, Instant.EPOCH)
                        .set(LoopSettings.ROLLOUT_MODE, RolloutMode.MANUAL)
                        .build();
        assertThat(other.changedTo(spec, manual).rollout().stage()).isEqualTo(Stage.SHADOW);
    }

    @Test
    void candidatesHaveASmallerShareNextToAVersionThatSomebodyGave() {
        Gate gate = Gate.start(spec(0.8));
        gate.offer(1);
        EventRandom random = new EventRandom(4);
        shares(gate, 0.0, 0.0, 3_000, random);
        assertThat(gate.rollout().share()).isEqualTo(0.1);
        gate.command(
                new RolloutCommand(
                        Action.PROMOTE, OptionalLong.empty(), OptionalDouble.empty(), "because"),
                0);
        gate.offer(2);
        shares(gate, 0.0, 0.0, 3_000, random);
        assertThat(gate.rollout().share()).isEqualTo(0.4);
    }

    @Test
    void aShareOfAPersonStays() {
        Gate gate = Gate.start(spec(0.8));
        gate.offer(1);
        gate.command(
                new RolloutCommand(
                        Action.CANARY, OptionalLong.empty(), OptionalDouble.of(0.3), "because"),
                0);
        assertThat(shares(gate, 0.1, 0.1, 2_000, new EventRandom(5))).isEmpty();
        assertThat(gate.offer(2)).as("newer candidates wait").isEmpty();
        assertThat(gate.rollout().share()).isEqualTo(0.3);
    }

    @Test
    void aClosedGateTakesTheShareBack() {
        Gate gate = Gate.start(spec(0.8));
        gate.offer(1);
        gate.observe(Compared.mismatched(Compared.example(0, 1.0, 1.0, 1.0, 1.0)));
        assertThat(gate.rollout().stage()).isEqualTo(Stage.SHADOW);
        assertThat(gate.rollout().closedReason()).isPresent();
    }

    @Test
    void aRollbackWithoutAVersionReturnsToThePreviousVersionAlthoughACandidateHasAShare() {
        Gate gate = Gate.start(spec(0.8));
        gate.command(
                new RolloutCommand(
                        Action.PROMOTE, OptionalLong.of(1), OptionalDouble.empty(), "because"),
                0);
        gate.offer(2);
        assertThat(gate.rollout().stage()).isEqualTo(Stage.CANARY);
        RolloutChange change =
                gate.command(
                        new RolloutCommand(
                                Action.ROLLBACK,
                                OptionalLong.empty(),
                                OptionalDouble.empty(),
                                "because"),
                        0);
        assertThat(change.kind()).isEqualTo(Kind.ROLLED_BACK);
        assertThat(change.rollout().activeVersion()).isZero();
    }

    @Test
    void anExampleThatCannotBeCheckedIsIgnored() {
        Gate gate = Gate.start(spec(0.8));
        gate.offer(1);
        ComparedExample example = Compared.split(0, 0.1, 10.0, 0.0, 1.0);
        gate.observe(Compared.with(example, ComparedExample.Evidence.UNCHECKED));
        assertThat(gate.candidateBounds().orElseThrow().examples()).isZero();
        gate.observe(example);
        assertThat(gate.candidateBounds().orElseThrow().examples()).isEqualTo(1);
    }
}
