package io.counterflow.core.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * The gate with a guardrail, on streams with known values: two actions, the active version chooses
 * each with probability 1/2, the challenger chooses action 1 with probability 0.9.
 */
final class GuardrailTest {

    private static final int STREAMS = 100;
    private static final double[] CHALLENGER = {0.1, 0.9};
    private static final LoopSpec GUARDED = gated(OptionalDouble.of(0.05));
    private static final LoopSpec UNGUARDED = gated(OptionalDouble.empty());

    private static LoopSpec gated(OptionalDouble margin) {
        return LoopSpec.builder("loop")
                .vectors(1, "a", "b")
                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED)
                .set(LoopSettings.DELTA, 0.05)
                .set(LoopSettings.CANDIDATE_EXAMPLES, 5_000L)
                .set(LoopSettings.CANARY_SHARE, 0.0)
                .set(LoopSettings.GUARDRAIL_MARGIN, margin)
                .build();
    }

    /** Rates of the reward and of the guardrail reward, for each action. */
    private record World(List<Double> reward, List<Double> guardrail) {

        static World of(double reward0, double reward1, double guardrail0, double guardrail1) {
            return new World(List.of(reward0, reward1), List.of(guardrail0, guardrail1));
        }

        /** An example that a version with equal probabilities logs. */
        ComparedExample example(long loggedBy, SplittableRandom random) {
            int action = random.nextInt(2);
            double weight = CHALLENGER[action] / 0.5;
            double drawn = random.nextDouble() < reward.get(action) ? 1.0 : 0.0;
            double guarded = random.nextDouble() < guardrail.get(action) ? 1.0 : 0.0;
            return Compared.guarded(
                    Compared.example(loggedBy, weight, 1.0, weight, drawn), guarded);
        }

        /** Difference of the guardrail rewards of the challenger and of the active version. */
        double guardrailDifference() {
            return 0.4 * (guardrail.get(1) - guardrail.get(0));
        }
    }

    private static final World GOOD = World.of(0.3, 0.6, 0.4, 0.4);
    private static final World BAD = World.of(0.3, 0.6, 0.9, 0.4);

    /** The number of streams in which the candidate becomes active. */
    private static int promotions(LoopSpec spec, World world, int examples) {
        int promotions = 0;
        for (int seed = 0; seed < STREAMS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Gate gate = Gate.start(spec);
            gate.offer(1);
            for (int i = 0; i < examples && gate.rollout().activeVersion() == 0; i++) {
                gate.observe(world.example(0, random));
            }
            promotions += gate.rollout().activeVersion() == 1 ? 1 : 0;
        }
        return promotions;
    }

    @Test
    void aCandidateThatIsBetterAndNotWorseOnTheGuardrailIsPromoted() {
        assertThat(promotions(GUARDED, GOOD, 4_000)).isGreaterThanOrEqualTo(STREAMS * 95 / 100);
    }

    @Test
    void aCandidateThatIsWorseOnTheGuardrailIsPromotedInAtMostFivePercentOfStreams() {
        assertThat(promotions(UNGUARDED, BAD, 1_000)).as("without a guardrail").isEqualTo(STREAMS);
        assertThat(promotions(GUARDED, BAD, 2_000)).isZero();
        World barely = World.of(0.3, 0.6, 0.8, 0.67);
        assertThat(barely.guardrailDifference()).isBetween(-0.053, -0.051);
        assertThat(promotions(GUARDED, barely, 2_000)).isLessThanOrEqualTo(STREAMS * 5 / 100);
    }

    @Test
    void aBetterGuardrailDoesNotPromoteAWorseCandidate() {
        World worse = World.of(0.6, 0.59, 0.2, 0.9);
        assertThat(promotions(GUARDED, worse, 2_000)).isLessThanOrEqualTo(STREAMS * 5 / 100);
    }

    /** The number of streams in which the gate returns from version 1, promoted by a person. */
    private static int rollbacks(LoopSpec spec, World world) {
        int rollbacks = 0;
        for (int seed = 0; seed < STREAMS; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Gate gate = Gate.start(spec);
            gate.command(ask(Action.PROMOTE, OptionalDouble.empty()), 0);
            for (int i = 0; i < 2_000 && gate.rollout().activeVersion() == 1; i++) {
                gate.observe(world.example(1, random));
            }
            rollbacks += gate.rollout().activeVersion() == 0 ? 1 : 0;
        }
        return rollbacks;
    }

    private static RolloutCommand ask(Action action, OptionalDouble share) {
        return new RolloutCommand(action, OptionalLong.of(1), share, "because");
    }

    @Test
    void aVersionThatSurelyViolatesTheGuardrailIsRolledBack() {
        // The challenger is now the previous version: worse on the reward, better on the guardrail.
        World violated = World.of(0.6, 0.3, 0.4, 0.8);
        assertThat(rollbacks(UNGUARDED, violated)).as("without a guardrail").isZero();
        assertThat(rollbacks(GUARDED, violated)).isGreaterThanOrEqualTo(STREAMS * 95 / 100);
        World within = World.of(0.6, 0.3, 0.4, 0.52);
        assertThat(within.guardrailDifference()).isBetween(0.047, 0.049);
        assertThat(rollbacks(GUARDED, within)).isLessThanOrEqualTo(STREAMS * 5 / 100);
        World worse = World.of(0.3, 0.6, 0.8, 0.8);
        assertThat(rollbacks(GUARDED, worse))
                .as("worse on the reward")
                .isGreaterThanOrEqualTo(STREAMS * 95 / 100);
    }

    /** Adds examples until something changes. */
    private static RolloutChange observe(Gate gate, World world, long loggedBy, int most) {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < most; i++) {
            Optional<RolloutChange> change = gate.observe(world.example(loggedBy, random));
            if (change.isPresent()) {
                return change.get();
            }
        }
        throw new AssertionError("nothing has changed");
    }

    @Test
    void aRollbackNamesTheGuardrail() {
        Gate gate = Gate.start(GUARDED);
        gate.command(ask(Action.PROMOTE, OptionalDouble.empty()), 0);
        RolloutChange change = observe(gate, World.of(0.6, 0.3, 0.2, 0.8), 1, 3_000);
        assertThat(change.kind()).isEqualTo(Kind.ROLLED_BACK);
        assertThat(change.reason())
                .matches(
                        "version 0 was better than 1 on the guardrail by at least 0\\.\\d{4}, with"
                                + " error probability 0\\.0152, after \\d+ examples");
    }

    @Test
    void aCanaryThatSurelyViolatesTheGuardrailEnds() {
        Gate gate = Gate.start(GUARDED);
        gate.offer(1);
        gate.command(ask(Action.CANARY, OptionalDouble.of(0.5)), 0);
        SplittableRandom random = new SplittableRandom(7);
        Optional<RolloutChange> change = Optional.empty();
        for (int i = 0; i < 3_000 && change.isEmpty(); i++) {
            int action = random.nextInt(2);
            change =
                    gate.observe(
                            Compared.guarded(
                                    Compared.split(0, 0.5, 1.0, CHALLENGER[action] / 0.5, 0.5),
                                    action));
        }
        assertThat(change.orElseThrow().kind()).isEqualTo(Kind.CANARY_ENDED);
        assertThat(change.orElseThrow().reason())
                .startsWith("the canary is worse than the active version on the guardrail by");
        assertThat(gate.rollout().activeVersion()).isZero();
    }

    @Test
    void reportsShowTheGuardrailAndThatItIsWaitedFor() {
        Gate gate = Gate.start(GUARDED);
        gate.offer(1);
        RolloutChange report = observe(gate, BAD, 0, 1_000);
        assertThat(report.kind()).isEqualTo(Kind.COMPARED);
        assertThat(report.reason())
                .matches(
                        "version 1 is compared with 0: better by at least 0\\.\\d{4}, with error"
                                + " probability 0\\.0304, after 1000 examples; its guardrail"
                                + " difference is at least -0\\.\\d{4}; it waits for the guardrail,"
                                + " which must reach -0\\.05");
        double bound = report.bounds().orElseThrow().guardrailLower().orElseThrow();
        assertThat(bound).isBetween(-0.4, -0.15);
    }

    @Test
    void aPromotionShowsTheGuardrail() {
        Gate gate = Gate.start(GUARDED);
        gate.offer(1);
        RolloutChange promoted = observe(gate, GOOD, 0, 4_000);
        while (promoted.kind() == Kind.COMPARED) {
            promoted = observe(gate, GOOD, 0, 4_000);
        }
        assertThat(promoted.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(promoted.reason()).contains("; its guardrail difference is at least -0.0");
        assertThat(promoted.reason()).doesNotContain("waits");
        assertThat(promoted.bounds().orElseThrow().guardrailLower().orElseThrow())
                .isGreaterThanOrEqualTo(-0.05);
    }

    @Test
    void withoutGuardrailRewardsNothingIsPromoted() {
        Gate gate = Gate.start(GUARDED);
        gate.offer(1);
        for (int i = 0; i < 999; i++) {
            assertThat(gate.observe(Compared.example(0, i % 2 * 2.0, 1.0, 0.0, i % 2))).isEmpty();
        }
        RolloutChange report = gate.observe(Compared.example(0, 2.0, 1.0, 0.0, 1)).orElseThrow();
        assertThat(report.kind()).isEqualTo(Kind.COMPARED);
        assertThat(report.reason()).contains("no guardrail reward is known yet; it waits for");
        assertThat(report.bounds().orElseThrow().guardrailLower()).isEmpty();
    }

    @Test
    void aComparisonThatFailsTheGuardrailStartsAgainAfterItsTurn() {
        Gate gate = Gate.start(GUARDED.with(LoopSettings.CANDIDATE_EXAMPLES, 500L));
        gate.offer(1);
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 500; i++) {
            assertThat(gate.observe(BAD.example(0, random))).isEmpty();
        }
        assertThat(gate.state().comparedSoFar()).isEqualTo(2);
        assertThat(gate.rollout().activeVersion()).isZero();
    }

    @Test
    void aRegisteredCandidateMustMeetTheGuardrail() {
        for (boolean meets : new boolean[] {true, false}) {
            Gate gate = Gate.start(GUARDED);
            gate.register(5, 0, "june");
            SplittableRandom random = new SplittableRandom(3);
            for (int i = 0; i < 4_000 && gate.rollout().activeVersion() == 0; i++) {
                ComparedExample drawn = (meets ? GOOD : BAD).example(0, random);
                gate.observe(
                        Compared.guarded(
                                Compared.registered(
                                        0,
                                        drawn.reward(),
                                        drawn.candidate().probability() / drawn.propensity()),
                                drawn.guardrailReward().orElseThrow()));
            }
            assertThat(gate.rollout().activeVersion()).isEqualTo(meets ? 5 : 0);
        }
    }

    @Test
    void changesOfTheGuardrailStartAgainAndOldRewardsAreLeftOut() {
        Gate gate = Gate.start(GUARDED);
        gate.offer(1);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 50; i++) {
            gate.observe(GOOD.example(0, random));
        }
        LoopSpec margin = next(LoopSpec.Builder::build, OptionalDouble.of(0.1), 0.0);
        assertRestarted(gate.changedTo(GUARDED, margin), true);
        assertRestarted(
                gate.changedTo(GUARDED, next(b -> b.build(), OptionalDouble.of(0.05), 1.0)), false);
        assertRestarted(
                gate.changedTo(GUARDED, next(b -> b.build(), OptionalDouble.empty(), 0.0)), false);
        LoopSpec floor =
                next(
                        b -> b.set(LoopSettings.EXPLORATION_FLOOR, 0.3).build(),
                        OptionalDouble.of(0.05),
                        0.0);
        assertRestarted(gate.changedTo(GUARDED, floor), false);
        LoopSpec longer =
                next(
                        b -> b.set(LoopSettings.CANDIDATE_EXAMPLES, 900L).build(),
                        OptionalDouble.of(0.05),
                        0.0);
        assertThat(gate.changedTo(GUARDED, longer).state()).isEqualTo(gate.state());
    }

    private interface Change {
        LoopSpec of(LoopSpec.Builder builder);
    }

    private static LoopSpec next(Change change, OptionalDouble margin, double defaultReward) {
        return change.of(
                GUARDED.toBuilder()
                        .at(2, Instant.EPOCH)
                        .set(LoopSettings.GUARDRAIL_MARGIN, margin)
                        .set(LoopSettings.GUARDRAIL_DEFAULT_REWARD, defaultReward));
    }

    private static void assertRestarted(Gate changed, boolean usesOldDecisions) {
        GateBounds bounds = changed.candidateBounds().orElseThrow();
        assertThat(bounds.examples()).isZero();
        assertThat(bounds.guardrailLower()).isEmpty();
        assertThat(bounds.delta()).as("another share of delta").isLessThan(0.01);
        assertThat(changed.hasRuleInForce(1, 2)).isEqualTo(usesOldDecisions);
    }

    @Test
    void aRestoredGateContinues() {
        Gate gate = Gate.start(GUARDED);
        gate.offer(1);
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 400; i++) {
            gate.observe(GOOD.example(0, random));
            Gate restored = Gate.restore(GUARDED, gate.state());
            assertThat(restored.state()).isEqualTo(gate.state());
            gate = restored;
        }
        assertThat(gate.state().candidate().orElseThrow().guardrail()).isPresent();
    }
}
