package io.counterflow.core.loop;

import static io.counterflow.core.loop.LoopRun.ALL;
import static io.counterflow.core.loop.LoopRun.probability;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.ComparedVersion;
import io.counterflow.core.rollout.Gate;
import io.counterflow.core.rollout.RegisteredPolicy;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutChange.Kind;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.rollout.RolloutCommand.Action;
import io.counterflow.core.rollout.Stage;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.SpecChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Candidates are frozen after each 40 examples, mini-batches are of 10. */
final class LearningLoopTest {

    private static final LoopLimits LIMITS = new LoopLimits(Specs.MANY_BYTES, 10);

    private static final Split SPLIT = new Split(1, 2, 0.5);

    private static LoopSpec spec(RolloutMode mode) {
        return spec(mode, 1.0, 0.0);
    }

    private static LoopSpec spec(RolloutMode mode, double inverseTemperature, double floor) {
        return Specs.dense().toBuilder()
                .set(LoopSettings.ROLLOUT_MODE, mode)
                .set(LoopSettings.DELTA, 0.5)
                .set(LoopSettings.CANDIDATE_EXAMPLES, 60L)
                .set(LoopSettings.INVERSE_TEMPERATURE, inverseTemperature)
                .set(LoopSettings.EXPLORATION_FLOOR, floor)
                .build();
    }

    private static LoopRun manual() {
        return new LoopRun(spec(RolloutMode.MANUAL));
    }

    private static RolloutCommand canary(long version, double share) {
        return new RolloutCommand(
                Action.CANARY, OptionalLong.of(version), OptionalDouble.of(share), "why");
    }

    @Test
    void theStartOfALoopIsRecordedAndItsFirstLoopStoraged() {
        LoopRun run = manual();
        assertThat(run.changes).hasSize(1);
        assertThat(run.lastChange().kind()).isEqualTo(Kind.STARTED);
        assertThat(run.lastChange().sequence()).isEqualTo(1);
        assertThat(run.lastChange().reason()).isEqualTo("spec version 1; version 0 decides");
        assertThat(run.versions.versions()).containsExactly(0L);
        assertThat(run.loop().waitingSpec()).isEmpty();
    }

    @Test
    void aLoopStartsWithThePolicyThatItsSpecNames() {
        DenseModel model = SimulatedLoop.randomModel(Specs.ACTIONS, Specs.DIMENSION, 1.0, 3);
        PolicySnapshot first = PolicySnapshot.of("elsewhere", 12, model, Optional.empty());
        LoopRun run =
                new LoopRun(
                        spec(RolloutMode.MANUAL)
                                .with(LoopSettings.STARTING_POLICY, Optional.of(first)));
        assertThat(run.lastChange().reason()).isEqualTo("spec version 1; version 12 decides");
        assertThat(run.versions.parameters(12)).contains(VersionParameters.of(model));
        assertThat(run.loop().learner().progress().priorVersion()).isEqualTo(12);
        assertThat(run.loop().learner().parameters()).isEqualTo(FlatParameters.of(model));
        run.take(40);
        assertThat(run.candidates).extracting(Candidate::version).containsExactly(13L);
        assertThat(run.candidates.get(0).parentVersion()).isEqualTo(12);
    }

    @Test
    void aLoopKeepsAtLeastOneVersionAndOneByte() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LoopLimits(1, 0))
                .withMessage("keptVersions must be at least 1, got 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LoopLimits(0, 1))
                .withMessage("bufferBytes must be at least 1, got 0");
    }

    @Test
    void aCandidateIsStoredThenReportedThenOfferedToTheGate() {
        List<String> told = new ArrayList<>();
        InMemoryStorage versions = new InMemoryStorage();
        LoopOutput output =
                new LoopOutput() {
                    @Override
                    public void frozen(Candidate candidate) {
                        assertThat(versions.parameters(candidate.version()))
                                .contains(candidate.parameters());
                        told.add("frozen " + candidate.version());
                    }

                    @Override
                    public void changed(RolloutChange change) {
                        told.add(change.kind() + " " + change.rollout().candidateVersion());
                    }
                };
        LearningLoop loop = LearningLoop.start(spec(RolloutMode.MANUAL), LIMITS, versions, output);
        LoopRun source = manual();
        for (int i = 0; i < 40; i++) {
            loop.take(source.draw(0, ALL), i, output);
        }
        assertThat(told)
                .containsExactly(
                        "STARTED OptionalLong.empty", "frozen 1", "CANDIDATE OptionalLong[1]");
    }

    @Test
    void theExampleThatCompletesACandidateIsNotUsedToCompareIt() {
        LoopRun run = manual();
        run.take(40);
        assertThat(run.loop().gate().candidateBounds().orElseThrow().examples()).isZero();
        run.take(1);
        assertThat(run.loop().gate().candidateBounds().orElseThrow().examples()).isEqualTo(1);
    }

    @Test
    void comparedNumbersAreThoseOfThePoliciesThemselves() {
        LoopRun run = manual();
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(40);
        assertThat(run.loop().gate().rollout().previousVersion()).hasValue(0);
        for (int i = 0; i < 30; i++) { // no further candidate yet
            LoggedExample example = run.draw(1, ALL);
            ComparedExample compared = run.take(example);
            assertThat(compared.active().probability()).isEqualTo(direct(run, 1, example));
            assertThat(compared.active().probability()).isEqualTo(example.propensity());
            assertThat(compared.candidate().probability()).isEqualTo(direct(run, 2, example));
            assertThat(compared.previous().probability())
                    .as("of a version that is not compared")
                    .isZero();
        }
        LoggedExample late = run.draw(0, ALL);
        assertThat(run.take(late).previous()).isEqualTo(ComparedVersion.of(0.25));
    }

    /**
     * Serving, the gate and certificates use the same policy: that of the spec, with the parameters
     * of a version.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19})
    void aComparedExampleHasTheBitsOfThePoliciesOfTheSpec(int seed) {
        EventRandom random = EventRandom.named("compared/" + seed);
        LoopSpec first = drawnSpec(seed % 2 == 0, random).build();
        LinearModel start = drawnModel(first.startingModel(), random);
        LoopSpec spec =
                first.with(
                        LoopSettings.STARTING_POLICY,
                        Optional.of(PolicySnapshot.of("loop", 0, start, first.encoder())));
        LoopRun run = new LoopRun(spec);
        for (int i = 0; i < 110; i++) {
            if (i == 45) {
                run.ask(Action.PROMOTE);
            }
            if (i == 100) { // from now on by another floor
                spec = spec.with(LoopSettings.EXPLORATION_FLOOR, random.nextDouble());
                assertThat(run.loop().change(spec, run).verdict())
                        .isEqualTo(SpecChange.Verdict.IMMEDIATE);
            }
            LoggedExample example = drawnExample(spec, i < 45 ? 0 : random.nextInt(4), random);
            var rollout = run.loop().gate().rollout();
            ComparedExample compared = run.take(example);
            assertThat(compared.active().probability())
                    .isEqualTo(direct(run, rollout.activeVersion(), example));
            assertThat(compared.candidate().probability())
                    .isEqualTo(ofVersion(run, rollout.candidateVersion(), example));
            if (OptionalLong.of(example.policyVersion()).equals(rollout.previousVersion())) {
                assertThat(compared.previous().probability())
                        .isEqualTo(direct(run, example.policyVersion(), example));
            }
            boolean isInRollout =
                    example.policyVersion() == rollout.activeVersion()
                            || OptionalLong.of(example.policyVersion())
                                    .equals(rollout.candidateVersion())
                            || OptionalLong.of(example.policyVersion())
                                    .equals(rollout.previousVersion());
            if (isInRollout) {
                assertThat(compared.recomputed())
                        .isEqualTo(propensity(run, example.policyVersion(), example));
            } else {
                assertThat(compared.recomputed()).isNaN();
            }
        }
        assertThat(run.loop().gate().rollout().candidateVersion()).isPresent();
        assertThat(run.loop().gate().rollout().previousVersion()).hasValue(0);
    }

    private static double ofVersion(LoopRun run, OptionalLong version, LoggedExample example) {
        return version.isPresent() ? direct(run, version.getAsLong(), example) : 0.0;
    }

    private static LoopSpec.Builder drawnSpec(boolean dense, EventRandom random) {
        return served(
                dense
                        ? Specs.vectors(2 + random.nextInt(6), Specs.DIMENSION)
                        : Specs.names(DrawnLife.BITS),
                random);
    }

    /** With another temperature and floor; now and then for a mixed logit. */
    private static LoopSpec.Builder served(LoopSpec.Builder builder, EventRandom random) {
        boolean mixed = random.nextInt(4) == 0;
        return builder.set(LoopSettings.INVERSE_TEMPERATURE, 3.0 * random.nextDouble())
                .set(LoopSettings.EXPLORATION_FLOOR, random.nextInt(2) * random.nextDouble())
                .set(LoopSettings.POLICY, mixed ? PolicyKind.MIXED_LOGIT : PolicyKind.SOFTMAX)
                .set(
                        LoopSettings.PROPENSITY_KIND,
                        mixed ? PropensityKind.UPPER_BOUND : PropensityKind.EXACT)
                .set(
                        LoopSettings.VARIANCE,
                        mixed ? OptionalDouble.of(0.5) : OptionalDouble.empty());
    }

    private static LinearModel drawnModel(LinearModel shape, EventRandom random) {
        float[] parameters = FlatParameters.of(shape);
        for (int i = 0; i < parameters.length; i++) {
            parameters[i] = (float) random.nextGaussian();
        }
        return FlatParameters.toModel(shape, parameters);
    }

    /** An example of any features, actions and propensity. */
    private static LoggedExample drawnExample(LoopSpec spec, long version, EventRandom random) {
        Features x =
                spec.encoder().isEmpty() ? DrawnLife.context(random) : DrawnLife.actions(random);
        int actions = spec.startingModel().actionCount(x);
        int action = random.nextInt(actions);
        AllowedActions allowed =
                AllowedActions.allBut(
                        IntStream.range(0, actions)
                                .filter(a -> a != action && random.nextInt(3) == 0)
                                .toArray());
        double propensity = 0.05 + 0.9 * random.nextDouble();
        return new LoggedExample(x, allowed, action, propensity, random.nextInt(2), version);
    }

    /** π(a|x), or the lower bound of a mixed logit that logs upper bounds. */
    private static double direct(LoopRun run, long version, LoggedExample example) {
        Policy policy = run.served(version);
        return policy.rule().propensityKind() == PropensityKind.UPPER_BOUND
                ? policy.lowerBound(example.features(), example.allowed(), example.action())
                : probability(policy, example.features(), example.allowed(), example.action());
    }

    /** The propensity that a version logs. */
    private static double propensity(LoopRun run, long version, LoggedExample example) {
        Policy policy = run.served(version);
        return policy.rule().propensityKind() == PropensityKind.UPPER_BOUND
                ? policy.upperBound(example.features(), example.allowed(), example.action())
                : direct(run, version, example);
    }

    @Test
    void withoutCandidateAndPreviousVersionTheirNumbersAreZero() {
        LoopRun run = manual();
        ComparedExample compared = run.take(run.draw(0, ALL));
        assertThat(compared.candidate().probability()).isZero();
        assertThat(compared.previous().probability()).isZero();
        assertThat(compared.active().probability()).isEqualTo(0.25);
    }

    @Test
    void theProbabilityUnderTheDecidingVersionIsKnownIfItIsInTheRollout() {
        LoopRun run = manual();
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(80);
        assertThat(run.loop().gate().rollout().candidateVersion()).hasValue(3);
        for (long version : List.of(0L, 1L, 3L)) {
            LoggedExample example = run.draw(version, ALL);
            assertThat(run.take(example).recomputed())
                    .as("%d", version)
                    .isEqualTo(example.propensity());
        }
        assertThat(run.take(run.draw(2, ALL)).recomputed()).isNaN();
    }

    @Test
    void theProbabilityUnderTwoVersionsIsKnownAsLongAsBothAreStored() {
        LoopRun run = manual();
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(80);
        assertThat(run.loop().gate().rollout().candidateVersion()).hasValue(3);
        for (long version : List.of(2L, 3L)) {
            Split split = new Split(1, version, 0.3);
            LoggedExample example = run.draw(split, AllowedActions.allBut(1));
            ComparedExample compared = run.take(example, split);
            assertThat(compared.recomputed()).isEqualTo(example.propensity());
            assertThat(compared.candidateShare()).isEqualTo(version == 3 ? 0.3 : 0.0);
            assertThat(compared.maxActiveWeight()).isEqualTo(1.0 / 0.7);
        }
        ComparedExample unknown = run.take(run.draw(1, ALL), new Split(1, 99, 0.3));
        assertThat(unknown.evidence()).isEqualTo(ComparedExample.Evidence.UNCHECKED);
        assertThat(unknown.isChecked()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.5, 40.0}) // similar policies, and policies that can lose
    void theGateSeesTheWeightsOfTheServedPoliciesOverTheAllowedActions(double inverseTemperature) {
        LoopSpec spec = spec(RolloutMode.GATED, inverseTemperature, 0.2);
        LoopRun run = new LoopRun(spec);
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(40);
        run.ask(canary(2, 0.5));
        Gate alone = Gate.restore(spec, run.loop().gate().state());
        for (int i = 0; i < 30; i++) {
            AllowedActions allowed = i % 3 == 0 ? ALL : AllowedActions.allBut(i % 4);
            LoggedExample example = i % 2 == 0 ? run.draw(1, allowed) : run.draw(SPLIT, allowed);
            double p = example.propensity();
            alone.observe(
                    new ComparedExample(
                            example.policyVersion(),
                            run.now(),
                            p,
                            i % 2 == 0 ? 1.0 : 2.0,
                            i % 2 == 0 ? 0.0 : 0.5,
                            example.reward(),
                            OptionalDouble.empty(),
                            new ComparedVersion(
                                    direct(run, 1, example),
                                    i % 2 == 0 ? 0.0 : loss(run, 2, 1, SPLIT, example)),
                            new ComparedVersion(
                                    direct(run, 2, example),
                                    i % 2 == 0 ? 0.0 : loss(run, 1, 2, SPLIT, example)),
                            ComparedVersion.of(direct(run, 0, example)),
                            List.of(),
                            p,
                            (i % 3 == 0 ? 4 : 3) / 0.2,
                            ComparedExample.Evidence.USABLE));
            ComparedExample compared = i % 2 == 0 ? run.take(example, 1) : run.take(example, SPLIT);
            assertThat(compared.isChecked()).isTrue();
            assertThat(run.loop().gate().state()).as("example %d", i).isEqualTo(alone.state());
        }
        assertThat(run.loop().gate().state().canary().orElseThrow().holder().count()).isEqualTo(15);
    }

    @Test
    void sharedExamplesSayWhatEachVersionCanLoseNextToTheOther() {
        LoopRun run = new LoopRun(spec(RolloutMode.GATED, 40.0, 0.2)); // steep: they often differ
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(40);
        run.ask(canary(2, 0.75));
        Split split = new Split(1, 2, 0.75);
        int far = 0;
        for (int i = 0; i < 40; i++) {
            AllowedActions allowed = i % 3 == 0 ? ALL : AllowedActions.allBut(i % 4);
            LoggedExample example = run.draw(split, allowed);
            ComparedExample compared = run.take(example, split);
            assertThat(compared.candidate().loss()).isEqualTo(loss(run, 1, 2, split, example));
            assertThat(compared.active().loss()).isEqualTo(loss(run, 2, 1, split, example));
            far += compared.candidate().loss() > 0.0 ? 1 : 0;
        }
        assertThat(far).isBetween(1, 39);
        ComparedExample alone = run.take(run.draw(1, ALL));
        assertThat(alone.candidate().loss()).isZero();
        assertThat(alone.active().loss()).isZero();
    }

    @Test
    void lossesAreKnownOnEventsThatAnEarlierCandidateShared() {
        LoopRun run = new LoopRun(spec(RolloutMode.MANUAL, 40.0, 0.2));
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(80);
        assertThat(run.loop().gate().rollout().candidateVersion()).hasValue(3);
        run.loop()
                .register(
                        VersionParameters.of(run.versions.parameters(2).orElseThrow().model()),
                        Training.none(),
                        run.now(),
                        "again",
                        run);
        long again = run.loop().gate().rollout().registeredVersions().get(0);
        Split split = new Split(1, 2, 0.75); // 2 is no longer the candidate
        int far = 0;
        for (int i = 0; i < 20; i++) {
            LoggedExample example = run.draw(split, ALL);
            ComparedExample compared = run.take(example, split);
            double ofRegistered = compared.registered().get(0).loss();
            assertThat(compared.candidate().loss()).isEqualTo(loss(run, 1, 3, split, example));
            assertThat(ofRegistered).isEqualTo(loss(run, 1, again, split, example));
            assertThat(ofRegistered).isEqualTo(loss(run, 1, 2, split, example));
            far += compared.candidate().loss() > 0.0 || ofRegistered > 0.0 ? 1 : 0;
        }
        assertThat(far).isPositive();
    }

    /** {@link ComparedVersion#loss} by its definition. */
    private static double loss(
            LoopRun run, long holder, long challenger, Split split, LoggedExample example) {
        double loss = 0.0;
        boolean isFar = false;
        for (int action = 0; action < 4; action++) {
            if (!example.allowed().contains(action)) {
                continue;
            }
            double less =
                    ofAction(run, holder, example, action)
                            - ofAction(run, challenger, example, action);
            double logged =
                    split.propensity(
                            ofAction(run, split.activeVersion(), example, action),
                            ofAction(run, split.candidateVersion(), example, action));
            loss += Math.max(0.0, less);
            isFar |= less > logged;
        }
        return isFar ? Math.min(1.0, loss) : 0.0;
    }

    private static double ofAction(LoopRun run, long version, LoggedExample example, int action) {
        return probability(run.served(version), example.features(), example.allowed(), action);
    }

    @Test
    void excludedActionsGiveTheirProbabilityToTheOthers() {
        LoopRun run = manual();
        run.take(40);
        AllowedActions two = AllowedActions.allBut(0, 2);
        LoggedExample example = run.draw(0, two);
        assertThat(example.propensity()).isEqualTo(0.5);
        double one = probability(run.served(1), example.features(), ALL, example.action());
        int other = example.action() == 1 ? 3 : 1;
        double another = probability(run.served(1), example.features(), ALL, other);
        ComparedExample compared = run.take(example);
        assertThat(compared.active().probability()).isEqualTo(0.5);
        assertThat(compared.candidate().probability())
                .isCloseTo(one / (one + another), within(1e-12));
    }

    @Test
    void temperatureAndExplorationFloorReachTheNumbers() {
        LoopRun bare = manual();
        LoopRun flat = new LoopRun(spec(RolloutMode.MANUAL, 0.0, 0.0));
        LoopRun steep = new LoopRun(spec(RolloutMode.MANUAL, 2.0, 0.4));
        for (int i = 0; i < 40; i++) {
            LoggedExample example = bare.draw(0, ALL);
            bare.take(example);
            flat.take(example);
            steep.take(example);
        }
        LinearModel scores = steep.versions.parameters(1).orElseThrow().model();
        Policy softmax = Policy.softmax(scores.scaled(2.0));
        for (int i = 0; i < 20; i++) {
            LoggedExample example = bare.draw(0, ALL);
            assertThat(flat.take(example).candidate().probability()).isEqualTo(0.25);
            double p = probability(softmax, example.features(), ALL, example.action());
            assertThat(steep.take(example).candidate().probability())
                    .isCloseTo(0.6 * p + 0.1, within(1e-12));
        }
    }

    @Test
    void aPromotionByCommandStartsAGenerationFromThatVersion() {
        LoopRun run = manual();
        run.take(47);
        RolloutChange change = run.ask(Action.PROMOTE);
        assertThat(change.kind()).isEqualTo(Kind.PROMOTED);
        assertThat(change.rollout().activeVersion()).isEqualTo(1);
        LearnerState state = run.loop().learner().state();
        assertThat(state.progress().priorVersion()).isEqualTo(1);
        assertThat(state.prior()).isEqualTo(FlatParameters.of(run.candidates.get(0).model()));
        assertThat(state.parameters()).isEqualTo(state.prior());
        assertThat(state.buffer().blocks()).isEmpty();
        assertThat(state.buffer().open()).as("those that no step was taken on").hasSize(7);
        assertThat(state.progress().learned()).isZero();
    }

    @Test
    void aRollbackReturnsToThePreviousVersionAndLearnsFromIt() {
        LoopRun run = manual();
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(20);
        RolloutChange change = run.ask(Action.ROLLBACK);
        assertThat(change.kind()).isEqualTo(Kind.ROLLED_BACK);
        assertThat(run.active()).isZero();
        assertThat(run.loop().learner().progress().priorVersion()).isZero();
        assertThat(run.loop().learner().state().parameters()).containsOnly(0.0f);
        ComparedExample compared = run.take(run.draw(0, ALL));
        assertThat(compared.active().probability()).isEqualTo(0.25);
        assertThat(compared.previous().probability()).as("a rollback has none before it").isZero();
    }

    @Test
    void aCanaryAndItsEndStartNoGeneration() {
        LoopRun run = manual();
        run.take(45);
        LearnerProgress before = run.loop().learner().progress();
        assertThat(run.ask(canary(1, 0.3)).kind()).isEqualTo(Kind.CANARY);
        assertThat(run.loop().gate().rollout().share()).isEqualTo(0.3);
        assertThat(run.ask(Action.ROLLBACK).kind()).isEqualTo(Kind.CANARY_ENDED);
        assertThat(run.loop().gate().rollout().stage()).isEqualTo(Stage.ROLLED_BACK);
        assertThat(run.loop().learner().progress()).isEqualTo(before);
        assertThat(run.take(run.draw(0, ALL)).candidate().probability()).isZero();
    }

    @Test
    void anotherCanaryIsComparedInThePlaceOfTheOldOne() {
        LoopRun run = manual();
        run.take(80);
        run.ask(canary(1, 0.3));
        LoggedExample example = run.draw(0, ALL);
        ComparedExample compared = run.take(example);
        assertThat(compared.candidate().probability()).isEqualTo(direct(run, 1, example));
    }

    @Test
    void aPausedLoopLearnsAndFreezesButPromotesNothing() {
        LoopRun run = new LoopRun(spec(RolloutMode.IMMEDIATE));
        assertThat(run.ask(Action.PAUSE).kind()).isEqualTo(Kind.PAUSED);
        run.take(79);
        assertThat(run.candidates).hasSize(1);
        assertThat(run.active()).isZero();
        assertThat(run.loop().gate().waiting()).hasValue(1);
        assertThat(run.ask(Action.RESUME).kind()).isEqualTo(Kind.RESUMED);
        assertThat(run.active()).isZero();

        run.take(1); // promotes what waited, and would have completed the next candidate
        assertThat(run.active()).isEqualTo(1);
        assertThat(run.candidates).as("the clock started anew with the generation").hasSize(1);
        assertThat(run.loop().learner().progress().steps()).isEqualTo(8);
        assertThat(run.loop().learner().buffered())
                .as("the example that decided was learned before the generation")
                .isZero();
        assertThat(run.loop().learner().progress().received()).isEqualTo(80);
    }

    @Test
    void immediateModeMakesEachCandidateTheNextPrior() {
        LoopRun run = new LoopRun(spec(RolloutMode.IMMEDIATE));
        run.take(120);
        assertThat(run.candidates).extracting(Candidate::parentVersion).containsExactly(0L, 1L, 2L);
        assertThat(run.loop().learner().progress().priorVersion()).isEqualTo(3);
        assertThat(run.changes)
                .extracting(RolloutChange::kind)
                .containsExactly(Kind.STARTED, Kind.PROMOTED, Kind.PROMOTED, Kind.PROMOTED);
        assertThat(run.changes).extracting(RolloutChange::sequence).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void commandsForRemovedVersionsAreRefusedAndRecorded() {
        LoopRun run = manual();
        run.take(45);
        for (RolloutCommand command :
                List.of(
                        canary(7, 0.5),
                        new RolloutCommand(
                                Action.PROMOTE, OptionalLong.of(7), OptionalDouble.empty(), ""),
                        new RolloutCommand(
                                Action.ROLLBACK, OptionalLong.of(7), OptionalDouble.empty(), ""))) {
            var rollout = run.loop().gate().rollout();
            var learner = LoopRun.values(run.loop().learner().state());
            long sequence = run.lastChange().sequence();
            RolloutChange change = run.ask(command);
            assertThat(change.kind()).isEqualTo(Kind.REFUSED);
            assertThat(change.sequence()).isEqualTo(sequence + 1);
            assertThat(change.reason()).isEqualTo("version 7 is not one of the stored versions");
            assertThat(change.rollout()).isEqualTo(rollout);
            assertThat(run.loop().gate().rollout()).isEqualTo(rollout);
            assertThat(LoopRun.values(run.loop().learner().state())).isEqualTo(learner);
        }
    }

    private static PolicySnapshot trained(LinearModel model) {
        return new PolicySnapshot(
                "elsewhere",
                12,
                OptionalLong.of(11),
                Instant.EPOCH,
                model,
                Optional.empty(),
                DecisionRule.PLAIN,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                new Training(
                        "log-likelihood",
                        OptionalDouble.of(0.5),
                        OptionalDouble.empty(),
                        900,
                        false,
                        "",
                        0),
                Optional.of(
                        new Certificate(
                                new Certificate.Estimates(0.1, 0.2, 0.3, 0.4, 0.5),
                                Optional.empty(),
                                0.05,
                                900,
                                300)));
    }

    private static PolicySnapshot best() {
        return trained(SimulatedLoop.randomModel(Specs.ACTIONS, Specs.DIMENSION, 1.5, 1));
    }

    @Test
    void aRegisteredSnapshotGetsTheNextVersionAndSaysHowItWasLearned() {
        LoopRun run = manual();
        run.take(45);
        run.ask(Action.PROMOTE, 1);
        PolicySnapshot best = best();
        RolloutChange change = run.ask(RolloutCommand.register(best, "last month"));
        assertThat(change.kind()).isEqualTo(Kind.REGISTERED);
        assertThat(change.reason()).isEqualTo("version 2: last month");
        assertThat(change.rollout().registeredVersions()).containsExactly(2L);
        Candidate candidate = run.candidates.get(1);
        assertThat(candidate.version()).isEqualTo(2);
        assertThat(candidate.parentVersion()).as("the active version").isEqualTo(1);
        assertThat(candidate.model()).isSameAs(best.model());
        assertThat(candidate.training()).contains(best.training());
        assertThat(candidate.certificate()).as("is about another log").isEmpty();
        assertThat(run.versions.versions()).contains(2L);
        run.take(40);
        assertThat(run.candidates.get(2).version()).as("the learner's own").isEqualTo(3);
        assertThat(run.candidates.get(2).training()).isEmpty();
    }

    @Test
    void aRegisteredSnapshotThatIsBetterIsPromoted() {
        LoopRun run = new LoopRun(spec(RolloutMode.GATED).with(LoopSettings.LEARNING_RATE, 1e-9));
        run.ask(RolloutCommand.register(best(), "last month"));
        run.take(3_000);
        assertThat(run.changes)
                .filteredOn(it -> it.kind() == Kind.PROMOTED)
                .first()
                .satisfies(it -> assertThat(it.rollout().activeVersion()).isEqualTo(1))
                .satisfies(it -> assertThat(it.rollout().registeredVersions()).isEmpty());
    }

    @Test
    void aSnapshotThatDoesNotFitIsRefusedAndChangesNothing() {
        LoopRun run = manual();
        var before = LoopRun.values(run.loop().learner().state());
        RolloutChange wide =
                run.ask(RolloutCommand.register(trained(DenseModel.zeros(4, 9)), "why"));
        assertThat(wide.kind()).isEqualTo(Kind.REFUSED);
        assertThat(wide.reason())
                .isEqualTo(
                        "snapshot must have the loop's shape (4 actions x 3 features), got a dense"
                                + " model of 4 actions x 9 features; train it with the settings of"
                                + " the loop");
        DenseModel huge =
                new DenseModel(
                        new float[][] {{Float.MAX_VALUE, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                        new float[4]);
        assertThat(run.ask(RolloutCommand.register(trained(huge), "why")).reason())
                .startsWith("snapshot must have parameters in [-1e15, 1e15]");
        assertThat(run.candidates).isEmpty();
        assertThat(run.versions.versions()).containsExactly(0L);
        assertThat(LoopRun.values(run.loop().learner().state())).isEqualTo(before);
    }

    @Test
    void aGreedyPolicyAlwaysChoosesTheBestActionOfItsVersion() {
        LoopRun run = new LoopRun(spec(RolloutMode.MANUAL, 0.5, 0.2));
        run.take(45);
        RolloutChange change =
                run.ask(RolloutCommand.register(new RegisteredPolicy.GreedyOf(1), "exploit"));
        assertThat(change.kind()).isEqualTo(Kind.REGISTERED);
        assertThat(change.reason()).isEqualTo("version 2: the greedy policy of version 1; exploit");
        assertThat(run.candidates.get(1).training()).contains(Training.none());
        for (int i = 0; i < 50; i++) {
            LoggedExample example = run.draw(0, ALL);
            double[] learned = new double[4];
            run.served(1).probabilities(example.features(), ALL, learned);
            double[] greedy = new double[4];
            run.served(2).probabilities(example.features(), ALL, greedy);
            int best = 0;
            for (int a = 1; a < 4; a++) {
                best = learned[a] > learned[best] ? a : best;
            }
            for (int a = 0; a < 4; a++) {
                assertThat(greedy[a]).isEqualTo(a == best ? 0.85 : 0.05, within(1e-12));
            }
        }
    }

    @Test
    void aConstantActionIsAlwaysChosen() {
        LoopRun run = new LoopRun(spec(RolloutMode.MANUAL, 0.5, 0.2));
        String id = run.loop().spec().actionIds().get(2);
        RolloutChange change =
                run.ask(RolloutCommand.register(new RegisteredPolicy.ConstantAction(id), "test"));
        assertThat(change.reason())
                .isEqualTo("version 1: always action \"%s\"; test".formatted(id));
        LoggedExample example = run.draw(0, ALL);
        double[] constant = new double[4];
        run.served(1).probabilities(example.features(), ALL, constant);
        assertThat(constant).containsExactly(new double[] {0.05, 0.05, 0.85, 0.05}, within(1e-12));
        run.served(1).probabilities(example.features(), AllowedActions.allBut(2), constant);
        assertThat(constant)
                .containsExactly(new double[] {1 / 3.0, 1 / 3.0, 0, 1 / 3.0}, within(1e-12));
    }

    @Test
    void aShortFormThatCannotBeServedIsRefusedAndChangesNothing() {
        LoopRun run = manual();
        var before = run.everything();
        assertRefused(run, new RegisteredPolicy.GreedyOf(7), "version 7 is not one of the stored");
        assertRefused(
                run,
                new RegisteredPolicy.GreedyOf(0),
                "greedyOf must be a version that prefers an action, got version 0");
        assertRefused(
                run,
                new RegisteredPolicy.ConstantAction("nobody"),
                "constantAction must be one of the 4 actions of the loop");
        assertThat(run.candidates).isEmpty();
        assertThat(run.everything().subList(3, before.size()))
                .isEqualTo(before.subList(3, before.size()));
        LoopRun uniform = new LoopRun(spec(RolloutMode.MANUAL, 0.0, 0.2));
        String id = uniform.loop().spec().actionIds().get(0);
        assertRefused(
                uniform,
                new RegisteredPolicy.ConstantAction(id),
                "inverseTemperature must be at least 1.0");
    }

    private static void assertRefused(LoopRun run, RegisteredPolicy policy, String reason) {
        RolloutChange change = run.ask(RolloutCommand.register(policy, "why"));
        assertThat(change.kind()).isEqualTo(Kind.REFUSED);
        assertThat(change.reason()).startsWith(reason);
    }

    @Test
    void immediateModeComparesNoSnapshots() {
        LoopRun run = new LoopRun(spec(RolloutMode.IMMEDIATE));
        RolloutChange change = run.ask(RolloutCommand.register(best(), "why"));
        assertThat(change.kind()).isEqualTo(Kind.REFUSED);
        assertThat(change.reason()).contains("set rolloutMode to gated or manual");
        assertThat(run.candidates).isEmpty();
    }

    @Test
    void aRegistrationHasASnapshotAndNoVersion() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new RolloutCommand(
                                        Action.REGISTER,
                                        OptionalLong.empty(),
                                        OptionalDouble.empty(),
                                        "why"))
                .withMessage(
                        "snapshot, greedyOf or constantAction must be present exactly for register, got none");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new RolloutCommand(
                                        Action.PAUSE,
                                        OptionalLong.empty(),
                                        OptionalDouble.empty(),
                                        Optional.of(new RegisteredPolicy.Snapshot(best())),
                                        "why"))
                .withMessage(
                        "snapshot, greedyOf or constantAction must be present exactly for register, got one for pause");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                new RolloutCommand(
                                        Action.REGISTER,
                                        OptionalLong.of(3),
                                        OptionalDouble.empty(),
                                        Optional.of(new RegisteredPolicy.Snapshot(best())),
                                        "why"))
                .withMessage("version must be absent for register, got 3");
    }

    private static LoopRun keeping(int versions) {
        return new LoopRun(spec(RolloutMode.MANUAL), new LoopLimits(Specs.MANY_BYTES, versions));
    }

    @Test
    void oldVersionsAreRemovedAndCannotBePromoted() {
        LoopRun run = keeping(2);
        run.take(40 * 5);
        assertThat(run.versions.versions())
                .as("active and the newest two")
                .containsExactly(0L, 4L, 5L);
        assertThat(run.forgotten).containsExactly(1L, 2L, 3L);
        assertThat(run.ask(Action.PROMOTE, 3).kind()).isEqualTo(Kind.REFUSED);
        assertThat(run.ask(Action.PROMOTE, 4).kind()).isEqualTo(Kind.PROMOTED);
    }

    @Test
    void aVersionInTheRolloutIsNeverRemoved() {
        LoopRun run = keeping(1);
        run.take(40);
        run.ask(Action.PROMOTE, 1); // 0 is before, 1 is active
        run.take(40);
        run.ask(canary(2, 0.5)); // newer candidates wait
        run.take(40 * 3);
        assertThat(run.loop().gate().waiting()).hasValue(5);
        assertThat(run.versions.versions()).containsExactly(0L, 1L, 2L, 5L);
        run.ask(Action.ROLLBACK); // ends the canary
        run.take(40);
        assertThat(run.versions.versions()).containsExactly(0L, 1L, 6L);
        assertThat(run.ask(Action.ROLLBACK).kind()).isEqualTo(Kind.ROLLED_BACK);
        run.take(40);
        assertThat(run.versions.versions()).containsExactly(0L, 7L);
        assertThat(run.forgotten)
                .as("each one once, in order, also those that leave the rollout together")
                .containsExactly(3L, 4L, 2L, 5L, 1L, 6L);
    }

    @Test
    void aWaitingCandidateOfAPausedLoopIsNeverRemoved() {
        LoopRun run = keeping(1);
        run.ask(Action.PAUSE);
        run.take(40 * 3);
        assertThat(run.loop().gate().waiting()).hasValue(3);
        assertThat(run.versions.versions()).containsExactly(0L, 3L);
        assertThat(run.ask(Action.PROMOTE).rollout().activeVersion()).isEqualTo(3);
    }

    @Test
    void anExampleThatIsRefusedChangesNothingAtAll() {
        LoopRun run = new LoopRun(spec(RolloutMode.GATED));
        run.take(40);
        run.ask(Action.PROMOTE);
        run.take(45);
        LoggedExample good = run.draw(1, ALL);
        var x = good.features();
        refused(
                run,
                new LoggedExample(x, 0, 1e-100, 1.0, 1),
                "propensity must be at least 1.0E-90 to be learned from, got 1.0E-100");
        refused(
                run,
                new LoggedExample(DenseVector.of(1f, 2f), 0, 0.5, 1.0, 1),
                "context has 2 features but the model has 3");
        refused(run, new LoggedExample(x, 4, 0.5, 1.0, 1), "action must be below 4, got 4");
        for (AllowedActions others :
                List.of(AllowedActions.allBut(4), AllowedActions.allBut(1, 2, 3, 4))) {
            refused(
                    run,
                    new LoggedExample(x, others, 0, 0.5, 1.0, 1),
                    "excludedActions must be below 4, the number of actions, got 4");
        }
        List<Object> before = run.everything();
        int changes = run.changes.size();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> run.loop().take(good, -1, run))
                .withMessage("eventTimeMs must be at least 0, got -1");
        assertThat(run.everything()).isEqualTo(before);
        assertThat(run.changes).hasSize(changes);
    }

    private static void refused(LoopRun run, LoggedExample example, String message) {
        List<Object> before = run.everything();
        int changes = run.changes.size();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> run.take(example))
                .withMessage(message);
        assertThat(run.everything()).as(message).isEqualTo(before);
        assertThat(run.changes).hasSize(changes);
    }

    @Test
    void theSmallestPropensityIsLearnedFromAndComparedWithFiniteNumbers() {
        LoopRun run = new LoopRun(spec(RolloutMode.GATED));
        run.take(40);
        for (int i = 0; i < 80; i++) {
            LoggedExample example = run.draw(run.active(), ALL);
            run.take(
                    new LoggedExample(
                            example.features(), example.action(), 1e-90, 1.0, run.active()));
        }
        assertThat(run.candidates.size()).isGreaterThanOrEqualTo(2);
        run.loop().learner().freeze(true); // refuses parameters that are not finite
        assertThat(run.changes)
                .allSatisfy(
                        change ->
                                assertThat(change.bounds().map(b -> b.differenceLower()))
                                        .satisfiesAnyOf(
                                                none -> assertThat(none).isEmpty(),
                                                some -> assertThat(some.orElseThrow()).isFinite()));
    }

    @Test
    void examplesOfOtherVersionsAreLearnedFromButIgnoredByTheGate() {
        LoopRun run = new LoopRun(spec(RolloutMode.GATED));
        run.take(40);
        var gate = run.loop().gate().state();
        LoggedExample own = run.draw(0, ALL);
        run.take(
                new LoggedExample(
                        own.features(), own.action(), own.propensity(), own.reward(), -5));
        assertThat(run.loop().gate().state()).isEqualTo(gate);
        assertThat(run.loop().learner().progress().received()).isEqualTo(41);
    }
}
