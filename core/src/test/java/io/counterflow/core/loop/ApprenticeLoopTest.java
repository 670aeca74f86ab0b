package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.GateState;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A loop that is an apprentice: a rule of the caller, which the loop does not know, chooses every
 * action. It is good but not the best: it takes the better one of the first two actions.
 */
final class ApprenticeLoopTest {

    private static final int EVENTS = 4_000;
    private static final AllowedActions ALL = AllowedActions.ALL;

    private static final LoopSpec APPRENTICE =
            Specs.batches(Specs.vectors(Specs.ACTIONS, Specs.DIMENSION), 20, 4, 2_000, 7)
                    .set(LoopSettings.LEARNER, LearnerKind.BEST)
                    .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.TRUST_LPR)
                    .set(LoopSettings.EXPLORATION_FLOOR, 0.1)
                    .set(LoopSettings.SNAPSHOT_EXAMPLES, 200L)
                    .set(LoopSettings.ROLLOUT_MODE, RolloutMode.APPRENTICE)
                    .build();

    private final SimulatedLoop truth = new SimulatedLoop(Specs.ACTIONS, Specs.DIMENSION, 1);
    private final EventRandom random = new EventRandom(3);

    /** The next decision of the caller, with its reward. */
    private LoggedExample shown(LoopRun run) {
        DenseVector x = truth.drawContext(random);
        int action = truth.rewardProbability(x, 0) >= truth.rewardProbability(x, 1) ? 0 : 1;
        return new LoggedExample(x, ALL, action, 1.0, reward(x, action), run.active());
    }

    private double reward(DenseVector x, int action) {
        return random.nextDouble() < truth.rewardProbability(x, action) ? 1.0 : 0.0;
    }

    private static ComparedExample show(LoopRun run, LoggedExample example) {
        DecisionOrigin origin =
                new DecisionOrigin(
                        run.loop().spec().version(),
                        PropensityKind.EXACT,
                        Optional.empty(),
                        false,
                        true,
                        run.now(),
                        OptionalDouble.empty());
        return run.takeFrom(example, origin);
    }

    private void show(LoopRun run, int n) {
        for (int i = 0; i < n; i++) {
            show(run, shown(run));
        }
    }

    /** Mean π(a|x) of the action that the caller shows. */
    private double agreement(LoopRun run, Policy policy) {
        double sum = 0.0;
        for (int i = 0; i < 2_000; i++) {
            LoggedExample example = shown(run);
            sum += LoopRun.probability(policy, example.features(), ALL, example.action());
        }
        return sum / 2_000;
    }

    @ParameterizedTest
    @EnumSource(names = {"TRUST_LPR", "IPS_LPR", "LS_LPR", "WNLL_LPR"})
    void itLearnsToChooseWhatIsShown(ObjectiveName objective) {
        LoopRun run = new LoopRun(APPRENTICE.with(LoopSettings.OBJECTIVE_NAME, objective));
        double before = agreement(run, run.served(run.active()));
        assertThat(before).isCloseTo(0.25, within(1e-9));
        show(run, EVENTS);
        assertThat(run.active()).as("each candidate becomes active").isEqualTo(EVENTS / 200);
        double after = agreement(run, run.served(run.active()));
        assertThat(after).isBetween(0.75, 1.0);
    }

    /** π(a|x) r is known for the action that was shown, and at least 0 for all others. */
    @Test
    void whatIsReportedIsNeverAboveTheValueOfTheVersion() {
        LoopRun run = new LoopRun(APPRENTICE);
        show(run, 1_000);
        Policy version = run.served(run.active());
        double agreed = 0.0;
        double squares = 0.0;
        double agreement = 0.0;
        int n = 20_000;
        for (int i = 0; i < n; i++) {
            LoggedExample example = shown(run);
            double probability =
                    LoopRun.probability(version, example.features(), ALL, example.action());
            agreed += probability * example.reward();
            squares += probability * probability * example.reward();
            agreement += probability;
        }
        double lowest = agreed / n;
        double highest = lowest + 1.0 - agreement / n;
        double value = truth.value(version, 200_000, random);
        double error = Math.sqrt((squares / n - lowest * lowest) / n);
        assertThat(value).isBetween(lowest - 4 * error, highest + 4 * error);
        assertThat(lowest).as("it is no estimate").isLessThan(value - 10 * error);
    }

    @Test
    void aDecisionThatWasNotDrawnIsComparedWithTheProbabilityOne() {
        LoopRun run = new LoopRun(APPRENTICE);
        LoggedExample example = shown(run);
        ComparedExample compared = show(run, example);
        assertThat(compared.recomputed()).isEqualTo(1.0);
        assertThat(compared.isChecked()).isTrue();
        assertThat(compared.active().probability()).isCloseTo(0.25, within(1e-9));
    }

    @Test
    void theGateSeesNothingAndNothingIsCertified() {
        LoopRun run = new LoopRun(APPRENTICE);
        show(run, EVENTS);
        GateState gate = run.loop().gate().state();
        GateState start = new LoopRun(APPRENTICE).loop().gate().state();
        assertThat(gate.comparedSoFar()).isEqualTo(start.comparedSoFar());
        assertThat(gate.candidate()).isEmpty();
        assertThat(gate.watched()).isEmpty();
        assertThat(gate.trusted()).isTrue();
        assertThat(run.candidates).allMatch(it -> it.certificate().isEmpty());
    }

    @Test
    void theRewardModelDoesNotLearnFromTheActionsOfTheCaller() {
        LoopRun run = new LoopRun(APPRENTICE);
        show(run, EVENTS);
        assertThat(run.candidates).noneMatch(Candidate::fromRewardModel);
        assertThat(run.loop().learner().state().rewardModel().orElseThrow())
                .usingRecursiveComparison()
                .isEqualTo(
                        new LoopRun(APPRENTICE)
                                .loop()
                                .learner()
                                .state()
                                .rewardModel()
                                .orElseThrow());
    }

    /** The version that was learned decides, until the reward model is ahead of it. */
    @Test
    void afterwardsTheLoopStartsAtTheLevelOfTheCallerAndImproves() {
        LoopRun run = new LoopRun(APPRENTICE);
        show(run, EVENTS);
        double caller = 0.0;
        for (int i = 0; i < 20_000; i++) {
            caller += shown(run).reward() / 20_000;
        }
        run.loop()
                .change(
                        APPRENTICE.toBuilder()
                                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                                .at(2, Instant.EPOCH)
                                .build(),
                        run);
        double first = truth.value(run.served(run.active()), 20_000, random);
        assertThat(first).isGreaterThan(0.9 * caller);
        double lowest = first;
        for (int i = 0; i < 20; i++) {
            run.take(200);
            lowest = Math.min(lowest, truth.value(run.served(run.active()), 20_000, random));
        }
        assertThat(lowest).isGreaterThan(0.9 * first);
        assertThat(truth.value(run.served(run.active()), 20_000, random)).isGreaterThan(caller);
    }

    @Test
    void decisionsOfTheCallerThatArriveLateDoNotReachTheGate() {
        LoopRun run = new LoopRun(APPRENTICE);
        show(run, 1_000);
        LoggedExample late = shown(run);
        run.loop()
                .change(
                        APPRENTICE.toBuilder()
                                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED)
                                .at(2, Instant.EPOCH)
                                .build(),
                        run);
        run.take(400); // a candidate is compared
        GateState before = run.loop().gate().state();
        assertThat(before.candidate()).isPresent();
        show(run, late);
        assertThat(run.loop().gate().state()).isEqualTo(before);
    }

    @Test
    void noVersionGetsAShareAndNoneIsRegistered() {
        LoopRun run = new LoopRun(APPRENTICE);
        show(run, 400);
        RolloutChange canary =
                run.ask(
                        new RolloutCommand(
                                RolloutCommand.Action.CANARY,
                                OptionalLong.of(1),
                                OptionalDouble.of(0.5),
                                "why"));
        assertThat(canary.kind()).isEqualTo(RolloutChange.Kind.REFUSED);
        assertThat(canary.reason()).contains("apprentice");
        assertThat(run.loop().gate().register(9, 0, "why").reason())
                .isEqualTo("candidates are not compared in apprentice mode");
    }

    @Test
    void aCanaryEndsWhenTheLoopBecomesAnApprentice() {
        LoopSpec manual = APPRENTICE.with(LoopSettings.ROLLOUT_MODE, RolloutMode.MANUAL);
        LoopRun run = new LoopRun(manual);
        run.loop()
                .register(
                        VersionParameters.of(
                                SimulatedLoop.randomModel(Specs.ACTIONS, Specs.DIMENSION, 0.1, 5)),
                        Training.none(),
                        0,
                        "why",
                        run);
        run.ask(
                new RolloutCommand(
                        RolloutCommand.Action.CANARY,
                        OptionalLong.of(1),
                        OptionalDouble.of(0.5),
                        "why"));
        assertThat(run.loop().gate().rollout().share()).isEqualTo(0.5);
        run.loop().change(APPRENTICE.toBuilder().at(2, Instant.EPOCH).build(), run);
        Rollout rollout = run.loop().gate().rollout();
        assertThat(rollout.share()).isZero();
        assertThat(rollout.candidateVersion()).isEmpty();
        show(run, 400); // the state is complete
        assertThat(run.active()).isGreaterThan(1);
    }

    @Test
    void aSpecThatCannotBeAnApprenticeIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> APPRENTICE.with(LoopSettings.LEARNER, LearnerKind.REWARD_MODEL))
                .withMessageStartingWith("learner must be lpr or best");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> APPRENTICE.with(LoopSettings.HOLDOUT_SHARE, 0.1))
                .withMessageStartingWith("holdoutShare must be 0");
    }

    @Test
    void aCertainDecisionHasTheWholeProbability() {
        Decision decision = Decision.certain(1, 3);
        assertThat(decision.distribution()).containsExactly(0.0, 1.0, 0.0);
        assertThat(decision.propensity()).isEqualTo(1.0);
        assertThat(AllowedActions.ALL.first()).isZero();
        assertThat(AllowedActions.allBut(0, 1, 3).first()).isEqualTo(2);
        assertThat(AllowedActions.allBut(1, 2).first()).isZero();
    }
}
