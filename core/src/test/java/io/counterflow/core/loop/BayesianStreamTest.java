package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.Learner;
import io.counterflow.core.learn.LearnerPass;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.core.learn.TrainerConfig;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.ObjectiveSettings;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.RegisteredPolicy;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The Bayesian objectives in a stream: mean, variance, and the mixed logit that is served. */
final class BayesianStreamTest {

    private static final int EXAMPLES = 4_000;
    private static final double TAU = 0.25;
    private static final double PRIOR_VARIANCE = 0.5;
    private static final double NORM = 4.0;

    private static final SimulatedLoop WORLD = new SimulatedLoop(Specs.ACTIONS, Specs.DIMENSION, 1);

    private static LoopSpec.Builder spec(ObjectiveName objective) {
        return Specs.batches(
                        Specs.vectors(Specs.ACTIONS, Specs.DIMENSION), 200, 80, 2 * EXAMPLES, 7)
                .set(LoopSettings.OBJECTIVE_NAME, objective)
                .set(LoopSettings.NORM_BOUND, OptionalDouble.of(NORM))
                .set(LoopSettings.PRIOR_VARIANCE, PRIOR_VARIANCE)
                .set(LoopSettings.TAU, TAU)
                .set(LoopSettings.SNAPSHOT_EXAMPLES, (long) EXAMPLES);
    }

    private static LoopSpec.Builder mixedLogit(ObjectiveName objective) {
        return spec(objective)
                .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                .set(LoopSettings.PROPENSITY_KIND, PropensityKind.UPPER_BOUND);
    }

    private static ExampleLog log() {
        return WORLD.log(
                Policy.uniform(DenseModel.zeros(Specs.ACTIONS, Specs.DIMENSION)),
                EXAMPLES,
                new EventRandom(3));
    }

    /** The theory's constants for the whole log; a bias is the weight of a constant feature. */
    private static BayesianSetting setting(double beta) {
        return new BayesianSetting(
                EXAMPLES,
                TAU,
                PRIOR_VARIANCE,
                beta * StrictMath.hypot(NORM, 1.0),
                Specs.ACTIONS * (Specs.DIMENSION + 1));
    }

    private static Candidate stream(LoopSpec spec, ExampleLog log) {
        LoopLearner learner = LoopLearner.start(spec, Specs.MANY_BYTES, new InMemoryStorage());
        for (int i = 0; i < log.size(); i++) {
            learner.learn(log.example(i), i);
        }
        return learner.freeze(true);
    }

    @ParameterizedTest
    @CsvSource({"BCRM, 1", "BCRM_CONVEX, 1", "BCRM, 0.5", "BCRM_CONVEX, 2"})
    void aStreamComesToTheMeanAndTheVarianceOfOfflineTraining(ObjectiveName name, double beta) {
        ExampleLog log = log();
        LoopSpec spec = spec(name).set(LoopSettings.INVERSE_TEMPERATURE, beta).build();
        Candidate candidate = stream(spec, log);
        BayesianSetting setting = setting(beta);
        PolicyTrainer offline =
                new PolicyTrainer(
                        name.objective(ObjectiveSettings.of(0.0, TAU, 1.0).with(setting)),
                        new TrainerConfig(
                                200,
                                200,
                                new AdaGrad(0.5, 1.0),
                                4,
                                TrainerConfig.Start.PRIOR,
                                beta));
        LinearModel prior = spec.startingModel();
        LinearModel expected = offline.train(log, prior, epoch -> {}).model();
        double distance =
                expected.squaredDistance(candidate.model())
                        + expected.squaredBiasDistance(candidate.model());
        double length = expected.squaredDistance(prior) + expected.squaredBiasDistance(prior);
        assertThat(length).as("something is learned").isGreaterThan(0.1);
        assertThat(distance).isLessThan(0.02 * length);

        assertThat(candidate.variance().orElseThrow())
                .as("at the mean of the stream")
                .isEqualTo(variance(name, setting, log, candidate.model(), beta));
        assertThat(candidate.variance().orElseThrow())
                .isCloseTo(variance(name, setting, log, expected, beta), within(0.02))
                .isLessThan(PRIOR_VARIANCE);
    }

    private static double variance(
            ObjectiveName name,
            BayesianSetting setting,
            ExampleLog log,
            LinearModel model,
            double beta) {
        Learner at = Learner.start(model, model, 1.0, beta, new AdaGrad(1.0, 1.0), 100);
        return name.posteriorVariance(setting, new LearnerPass(log, at));
    }

    @Test
    void theStrengthFallsWithTheExamplesOfTheGeneration() {
        ExampleLog log = log();
        LoopSpec spec =
                spec(ObjectiveName.BCRM_CONVEX).set(LoopSettings.PRIOR_VARIANCE, 1e-3).build();
        LoopLearner learner = LoopLearner.start(spec, Specs.MANY_BYTES, new InMemoryStorage());
        double before = 0.0;
        for (int i = 0; i < EXAMPLES; i++) {
            learner.learn(log.example(i), i);
            if (i == EXAMPLES / 10) {
                before = length(learner);
            }
        }
        assertThat(length(learner)).isGreaterThan(10.0 * before);
        learner.promote(1, VersionParameters.of(spec.startingModel()));
        for (int i = 0; i < EXAMPLES / 10; i++) {
            learner.learn(log.example(i), EXAMPLES + i);
        }
        assertThat(length(learner)).as("strong again").isLessThan(2.0 * before);
    }

    private static double length(LoopLearner learner) {
        double sum = 0.0;
        for (float parameter : learner.parameters()) {
            sum += parameter * parameter;
        }
        return sum;
    }

    @Test
    void aVarianceOfTheSpecIsKeptAndChangesTheMean() {
        ExampleLog log = log();
        LoopSpec learned = mixedLogit(ObjectiveName.BCRM).build();
        LoopSpec fixed = learned.with(LoopSettings.VARIANCE, OptionalDouble.of(0.4));
        assertThat(fixed.hasLearnedVariance()).isFalse();
        Candidate candidate = stream(fixed, log);
        assertThat(candidate.variance()).hasValue(0.4);
        assertThat(fixed.policyOf(candidate.parameters()).rule().variance()).hasValue(0.4);
        assertThat(FlatParameters.of(candidate.model()))
                .isNotEqualTo(FlatParameters.of(stream(learned, log).model()));
    }

    @Test
    void otherObjectivesHaveNoVariance() {
        assertThat(stream(spec(ObjectiveName.IPS_LPR).build(), log()).variance()).isEmpty();
    }

    @Test
    void aSoftmaxServesTheMeanAndKeepsTheVariance() {
        LoopSpec spec = spec(ObjectiveName.BCRM_CONVEX).build();
        Candidate candidate = stream(spec, log());
        assertThat(candidate.variance()).isPresent();
        assertThat(spec.policyOf(candidate.parameters()).rule()).isEqualTo(spec.decisionRule());
        // If the loop turns to a mixed logit, the version is served with what it has learned.
        LoopSpec mixed = mixedLogit(ObjectiveName.BCRM_CONVEX).build();
        assertThat(mixed.policyOf(candidate.parameters()).rule().variance())
                .isEqualTo(candidate.variance());
        assertThat(mixed.policyOf(spec.startingParameters()).rule().variance())
                .hasValue(PRIOR_VARIANCE);
    }

    /** Decides with the active version, as serving does, and learns from it. */
    private static final class Run implements LoopOutput {
        private final InMemoryStorage versions = new InMemoryStorage();
        private final EventRandom random = new EventRandom(5);
        private final LearningLoop loop;
        private final List<RolloutChange> changes = new ArrayList<>();
        private int events;

        Run(LoopSpec spec) {
            loop = LearningLoop.start(spec, new LoopLimits(Specs.MANY_BYTES, 10), versions, this);
        }

        RolloutChange lastChange() {
            return changes.get(changes.size() - 1);
        }

        Policy policy(long version) {
            return loop.spec().policyOf(versions.parameters(version).orElseThrow());
        }

        Policy active() {
            return policy(loop.gate().rollout().activeVersion());
        }

        ComparedExample next() {
            long version = loop.gate().rollout().activeVersion();
            DenseVector x = WORLD.drawContext(random);
            Decision decision = policy(version).decide(x, AllowedActions.ALL, random);
            double rewarded = WORLD.rewardProbability(x, decision.action());
            LoggedExample example =
                    new LoggedExample(
                            x,
                            decision.action(),
                            decision.propensity(),
                            random.nextDouble() < rewarded ? 1.0 : 0.0,
                            version);
            events++;
            return loop.take(
                    example,
                    new DecisionOrigin(
                            loop.spec().version(), decision.kind(), Optional.empty(), events),
                    events,
                    this);
        }

        @Override
        public void frozen(Candidate candidate) {}

        @Override
        public void changed(RolloutChange change) {
            changes.add(change);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"BCRM", "BCRM_CONVEX"})
    void aMixedLogitWithLearnedVarianceEarnsMoreInEachGeneration(ObjectiveName name) {
        Run run =
                new Run(
                        mixedLogit(name)
                                .set(LoopSettings.PRIOR_VARIANCE, 0.1)
                                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                                .build());
        double before = value(run.active());
        for (int i = 0; i < 4 * EXAMPLES; i++) {
            run.next();
        }
        Policy active = run.active();
        assertThat(active.rule().variance().orElseThrow()).isLessThan(0.1);
        assertThat(value(active)).isGreaterThan(before + 0.2);
    }

    /** The mean reward of drawn decisions, because a mixed logit has no closed form. */
    private static double value(Policy policy) {
        EventRandom random = new EventRandom(11);
        double sum = 0.0;
        for (int i = 0; i < 5_000; i++) {
            DenseVector x = WORLD.drawContext(random);
            int action = policy.decide(x, AllowedActions.ALL, random).action();
            sum += WORLD.rewardProbability(x, action) / 5_000;
        }
        return sum;
    }

    @Test
    void theGateUsesTheVarianceOfEachVersion() {
        Run run = new Run(mixedLogit(ObjectiveName.BCRM_CONVEX).build());
        for (int i = 0; i < EXAMPLES; i++) {
            assertThat(run.next().isMismatch()).as("example %d", i).isFalse();
        }
        double learned = run.policy(1).rule().variance().orElseThrow();
        assertThat(learned).isLessThan(PRIOR_VARIANCE);
        assertThat(run.policy(0).rule().variance()).hasValue(PRIOR_VARIANCE);
        run.loop.command(
                new RolloutCommand(
                        RolloutCommand.Action.PROMOTE,
                        OptionalLong.of(1),
                        OptionalDouble.empty(),
                        "why"),
                run.events,
                run);
        assertThat(run.active().rule().variance()).hasValue(learned);
        for (int i = 0; i < 50; i++) {
            assertThat(run.next().isMismatch()).as("example %d of version 1", i).isFalse();
        }
        // With the variance of the prior, the propensities would be wrong.
        DenseVector x = DenseVector.of(1f, 1f, 1f);
        assertThat(run.policy(1).upperBound(x, AllowedActions.ALL, 0))
                .isNotEqualTo(
                        new Policy(run.policy(1).model(), run.loop.spec().decisionRule())
                                .upperBound(x, AllowedActions.ALL, 0));
    }

    @Test
    void aRegisteredSnapshotBringsItsVariance() {
        Run run = new Run(mixedLogit(ObjectiveName.BCRM).build());
        DenseModel model = SimulatedLoop.randomModel(Specs.ACTIONS, Specs.DIMENSION, 1.5, 1);
        PolicySnapshot without = PolicySnapshot.of("elsewhere", 1, model, Optional.empty());
        run.loop.command(RolloutCommand.register(without, "why"), 0, run);
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.REFUSED);
        assertThat(run.lastChange().reason())
                .isEqualTo(
                        "the snapshot must have a variance, because the loop serves a mixed logit"
                                + " with learned variances, got none; train it with the settings"
                                + " of the loop");
        run.loop.register(
                new VersionParameters(model, OptionalDouble.of(0.2)),
                Training.none(),
                0,
                "why",
                run);
        assertThat(run.policy(1).rule().variance()).hasValue(0.2);
    }

    @Test
    void aShortFormOfACandidateHasTheVarianceOfThePrior() {
        Run run = new Run(mixedLogit(ObjectiveName.BCRM).build());
        String action = run.loop.spec().shape().actionIds().get(1);
        run.loop.command(
                RolloutCommand.register(new RegisteredPolicy.ConstantAction(action), "why"),
                0,
                run);
        assertThat(run.lastChange().kind()).isEqualTo(RolloutChange.Kind.REGISTERED);
        assertThat(run.policy(1).rule().variance()).hasValue(PRIOR_VARIANCE);
    }

    @Test
    void comparisonsStartAgainIfAllVersionsGetOneVariance() {
        Run run = new Run(mixedLogit(ObjectiveName.BCRM).build());
        run.loop.register(
                new VersionParameters(
                        run.loop.spec().startingModel(), OptionalDouble.of(PRIOR_VARIANCE)),
                Training.none(),
                0,
                "why",
                run);
        for (int i = 0; i < 30; i++) {
            run.next();
        }
        assertThat(run.loop.gate().state().registered().get(0).difference().counts())
                .anyMatch(count -> count == 30);
        LoopSpec fixed =
                run.loop.spec().toBuilder()
                        .at(2, Instant.EPOCH)
                        .set(LoopSettings.VARIANCE, OptionalDouble.of(PRIOR_VARIANCE))
                        .build();
        run.loop.change(fixed, run);
        assertThat(run.loop.gate().state().registered().get(0).difference().counts())
                .allMatch(count -> count == 0);
        assertThat(run.loop.gate().hasRuleInForce(1, 2)).isFalse();
    }
}
