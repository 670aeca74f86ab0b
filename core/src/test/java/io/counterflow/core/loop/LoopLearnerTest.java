package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.Learner;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.Objectives;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LoopLearnerTest {

    private static final int K = Specs.ACTIONS;
    private static final int D = Specs.DIMENSION;
    private static final LoopSpec NO_BUFFER_STEPS =
            Specs.dense().with(LoopSettings.BUFFER_STEPS, 0L);

    private final ExampleLog log =
            new SimulatedLoop(K, D, 1)
                    .log(Policy.uniform(DenseModel.zeros(K, D)), 400, new EventRandom(2));

    private final InMemoryStorage storage = new InMemoryStorage();

    private static LoopLearner start(LoopSpec spec) {
        return LoopLearner.start(spec, Specs.MANY_BYTES, new InMemoryStorage());
    }

    /** All examples of the buffer, oldest first. */
    private List<LoggedExample> examples(LoopLearner learner) {
        return LoopRun.examples(learner.state().buffer(), storage);
    }

    private void learn(LoopLearner learner, int from, int to) {
        for (int i = from; i < to; i++) {
            learner.learn(log.example(i), i);
        }
    }

    @Test
    void withoutBufferStepsItTakesTheStepsOfThePlainLearner() {
        double beta = 1.5;
        double floor = 0.2;
        LoopSpec spec =
                NO_BUFFER_STEPS.toBuilder()
                        .set(LoopSettings.INVERSE_TEMPERATURE, beta)
                        .set(LoopSettings.EXPLORATION_FLOOR, floor)
                        .build();
        LoopLearner loop = start(spec);
        learn(loop, 0, 100);

        LinearModel zeros = DenseModel.zeros(K, D);
        Learner plain = Learner.start(zeros, zeros, 1e-4, beta, new AdaGrad(0.5, 1.0), 10);
        var loss =
                Objectives.ipsLpr(0.01, 1e-4)
                        .withSoftmaxShare(1.0 - floor)
                        .fixedLoss()
                        .orElseThrow();
        double[] coefficients = new double[log.size()];
        int[] order = new int[log.size()];
        for (int i = 0; i < log.size(); i++) {
            coefficients[i] = loss.coefficient(log.propensity(i), log.reward(i));
            order[i] = i;
        }
        for (int from = 0; from < 100; from += 10) {
            plain.step(log, coefficients, loss, order, from, from + 10);
        }
        assertThat(loop.state().parameters()).isEqualTo(FlatParameters.of(plain.model()));
    }

    @Test
    void bufferStepsTakeFurtherSteps() {
        LoopLearner once = start(NO_BUFFER_STEPS);
        LoopLearner thrice = start(Specs.dense());
        learn(once, 0, 100);
        learn(thrice, 0, 100);
        assertThat(thrice.state().parameters()).isNotEqualTo(once.state().parameters());
        assertThat(thrice.progress()).isEqualTo(once.progress());
    }

    @Test
    void withoutBufferStepsACandidateHasTheCurrentParameters() {
        LoopLearner learner = start(NO_BUFFER_STEPS);
        learn(learner, 0, 100);
        float[] before = learner.parameters();
        assertThat(FlatParameters.of(learner.freeze(true).model())).isEqualTo(before);
        assertThat(learner.parameters()).isEqualTo(before);
    }

    @Test
    void aCandidateIsAMeanOfFurtherSteps() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 100);
        float[] before = learner.parameters();
        long changes = learner.changes();
        float[] mean = FlatParameters.of(learner.freeze(true).model());
        float[] after = learner.parameters();
        assertThat(learner.changes()).isGreaterThan(changes);
        assertThat(distance(mean, before)).isPositive();
        assertThat(distance(mean, before) + distance(mean, after))
                .as("on the way, not elsewhere")
                .isLessThan(2.0 * distance(before, after));
        assertThat(learner.progress().learned()).isEqualTo(100);
    }

    private static double distance(float[] a, float[] b) {
        double sum = 0.0;
        for (int i = 0; i < a.length; i++) {
            sum += (a[i] - b[i]) * (a[i] - b[i]);
        }
        return Math.sqrt(sum);
    }

    @Test
    void aCandidateDoesNotDependOnAMiniBatchThatIsNotFull() {
        LoopLearner some = start(Specs.dense());
        LoopLearner others = start(Specs.dense());
        learn(some, 0, 47);
        learn(others, 0, 40);
        learn(others, 50, 57);
        assertThat(some.freeze(true).model()).isEqualTo(others.freeze(true).model());
        assertThat(some.parameters()).isEqualTo(others.parameters());
    }

    /** Steps without a new block, a block that is removed between two steps, a promotion. */
    @Test
    void itSaysWhenParametersOrBlocksHaveChanged() {
        LoopSpec spec = Specs.dense().with(LoopSettings.BUFFER_CAPACITY, 130L);
        LoopLearner learner = LoopLearner.start(spec, Specs.MANY_BYTES, storage);
        int unchanged = 0;
        for (int i = 0; i < 400; i++) {
            long changes = learner.changes();
            LearnerState before = learner.state();
            learn(learner, i, i + 1);
            if (i == 205) {
                learner.promote(7, VersionParameters.of(DenseModel.zeros(K, D)));
            }
            if (learner.changes() == changes) {
                unchanged++;
                assertThat(learner.parameters()).isEqualTo(before.parameters());
                assertThat(learner.squaredGradientSum()).isEqualTo(before.squaredGradientSum());
                assertThat(learner.blocks()).isEqualTo(before.buffer().blocks());
            }
        }
        assertThat(unchanged).isGreaterThan(300);
    }

    @Test
    void theBufferKeepsTheMostRecentExamplesOfTheGeneration() {
        LoopLearner learner = LoopLearner.start(Specs.dense(), Specs.MANY_BYTES, storage);
        learn(learner, 0, 123);
        assertThat(learner.buffered()).as("whole mini-batches of ten").isEqualTo(43);
        for (int age = 0; age < 43; age++) {
            assertThat(examples(learner).get(age)).isEqualTo(log.example(80 + age));
        }
        assertThat(learner.progress().received()).isEqualTo(123);
    }

    @Test
    void aLateExampleIsLearnedFromButIsInNoCertificate() {
        LoopSpec spec = Specs.dense();
        LoopLearner learner = start(spec);
        LoopLearner without = start(spec);
        learn(learner, 0, 37);
        learn(without, 0, 37);
        LoggedExample next = log.example(37);
        for (int i = 0; i < 3; i++) {
            learner.learn(new LoggedExample(next.features(), next.action(), 0.5, 1.0, -1), 40 + i);
            without.learn(new LoggedExample(next.features(), next.action(), 0.5, 0.0, -1), 40 + i);
        }
        assertThat(learner.state().parameters()).isNotEqualTo(without.state().parameters());
        Candidate candidate = learner.freeze(true);
        assertThat(candidate.examples()).isEqualTo(40);
        assertThat(candidate.certificate().orElseThrow().n()).isEqualTo(37);
        assertThat(candidate.certificate().orElseThrow().estimates().onPolicyMean())
                .isEqualTo(
                        without.freeze(true)
                                .certificate()
                                .orElseThrow()
                                .estimates()
                                .onPolicyMean());
    }

    private static LoopSpec startingWith(long version) {
        PolicySnapshot first =
                PolicySnapshot.of("loop", version, DenseModel.zeros(K, D), Optional.empty());
        return Specs.dense().with(LoopSettings.STARTING_POLICY, Optional.of(first));
    }

    @Test
    void lateExamplesAloneGiveNoCertificate() {
        LoopLearner learner = start(startingWith(5));
        learn(learner, 0, 20); // logged by version 0
        assertThat(learner.freeze(true).certificate()).isEmpty();
    }

    @Test
    void theCertificateOfThePriorItselfIsItsOwnMeanReward() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 9); // no step yet
        Certificate certificate = learner.freeze(true).certificate().orElseThrow();
        assertThat(certificate.estimates().ips())
                .isCloseTo(certificate.estimates().onPolicyMean(), within(1e-12));
        Certificate.LearnedFrom bound = certificate.learnedFrom().orElseThrow();
        assertThat(bound.divergence()).isZero();
        assertThat(bound.valueLowerBound()).isBetween(0.0, certificate.estimates().ips());
    }

    @Test
    void aCertificateIsOfThePolicyAsItIsServedOverTheActionsThatWereOffered() {
        LoopSpec spec =
                Specs.dense().toBuilder()
                        .set(LoopSettings.INVERSE_TEMPERATURE, 2.0)
                        .set(LoopSettings.EXPLORATION_FLOOR, 0.3)
                        .build();
        LoopLearner learner = start(spec);
        ExampleLog offered = new ExampleLog();
        for (int i = 0; i < 40; i++) {
            LoggedExample e = log.example(i);
            AllowedActions allowed = AllowedActions.allBut((e.action() + 1) % K);
            offered.add(
                    new LoggedExample(e.features(), allowed, e.action(), 1.0 / 3.0, e.reward(), 0));
            learner.learn(offered.example(i), i);
        }
        Candidate candidate = learner.freeze(true);
        PolicyEvaluation expected =
                new PolicyEvaluation(spec.get(LoopSettings.TAU), spec.get(LoopSettings.SMOOTHING));
        expected.addAll(offered, spec.policyOf(candidate.model()));
        Certificate certificate = candidate.certificate().orElseThrow();
        assertThat(certificate.estimates())
                .isEqualTo(Certificate.of(expected.result(0.05), Optional.empty()).estimates());
        assertThat(certificate.n()).isEqualTo(40);
        assertThat(certificate.delta()).isEqualTo(0.05);
    }

    @Test
    void aCandidateIsDueAfterTheConfiguredExamples() {
        LoopLearner learner = start(Specs.dense());
        for (int i = 0; i < 120; i++) {
            learner.learn(log.example(i), 0);
            assertThat(learner.snapshotDue()).isEqualTo((i + 1) % 40 == 0);
            if (learner.snapshotDue()) {
                assertThat(learner.freeze(true).version()).isEqualTo((i + 1) / 40);
            }
        }
    }

    @Test
    void aCandidateIsDueAfterTheConfiguredEventTime() {
        LoopLearner learner =
                start(
                        Specs.dense().toBuilder()
                                .set(LoopSettings.SNAPSHOT_EXAMPLES, 0L)
                                .set(LoopSettings.SNAPSHOT_INTERVAL, Duration.ofSeconds(1))
                                .build());
        learn(learner, 0, 20);
        assertThat(learner.snapshotDue()).isFalse();
        learner.learn(log.example(20), 999);
        assertThat(learner.snapshotDue()).isFalse();
        learner.learn(log.example(21), 1_000);
        assertThat(learner.snapshotDue()).isTrue();
        learner.freeze(true);
        assertThat(learner.snapshotDue()).isFalse();
        learner.learn(log.example(22), 5_000);
        assertThat(learner.snapshotDue()).as("no step was taken since").isFalse();
        learn(learner, 23, 30);
        assertThat(learner.snapshotDue()).isTrue();
    }

    @Test
    void noCadenceIsNeverDue() {
        LoopLearner learner = start(Specs.dense().with(LoopSettings.SNAPSHOT_EXAMPLES, 0L));
        learn(learner, 0, 400);
        assertThat(learner.snapshotDue()).isFalse();
    }

    @Test
    void aPromotedPolicyIsThePriorAndTheStartOfTheNextGeneration() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 40);
        Candidate candidate = learner.freeze(true);
        learn(learner, 40, 97);
        float[] memory = learner.state().squaredGradientSum();
        learner.promote(candidate.version(), candidate.parameters());

        LearnerState state = learner.state();
        assertThat(state.prior()).isEqualTo(FlatParameters.of(candidate.model()));
        assertThat(state.parameters()).isEqualTo(state.prior());
        assertThat(state.squaredGradientSum()).isEqualTo(memory);
        assertThat(state.buffer().blocks()).isEmpty();
        assertThat(state.buffer().open()).hasSize(7).last().isEqualTo(log.example(96));
        assertThat(learner.progress().priorVersion()).isEqualTo(1);
        assertThat(state.progress().learned()).isZero();

        learn(learner, 97, 100); // completes the mini-batch with what was pending
        Candidate next = learner.freeze(true);
        assertThat(next.version()).isEqualTo(2);
        assertThat(next.parentVersion()).isEqualTo(1);
        assertThat(next.examples()).isEqualTo(10);
        assertThat(next.certificate()).as("all logged by version 0").isEmpty();
    }

    @Test
    void aRollbackToAnOldVersionDoesNotUseItsNumbersAgain() {
        LoopLearner learner = start(Specs.dense());
        learner.freeze(true);
        Candidate second = learner.freeze(true);
        learner.promote(second.version(), second.parameters());
        learner.promote(0, VersionParameters.of(DenseModel.zeros(K, D)));
        assertThat(learner.freeze(true).version()).isEqualTo(3);
    }

    @Test
    void anExampleThatDoesNotFitIsRefusedAndChangesNothing() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 5);
        LearnerProgress before = learner.progress();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(example(new float[D + 1], 0), 6))
                .withMessage("context has 4 features but the model has 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(example(new float[D], K), 6))
                .withMessage("action must be below 4, got 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(excluding(0, K), 6))
                .withMessage("excludedActions must be below 4, the number of actions, got 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(hashedExample(), 6))
                .withMessage("a dense model needs a context vector, got features of actions");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(log.example(5), -1))
                .withMessage("eventTimeMs must be at least 0, got -1");
        assertThat(learner.progress()).isEqualTo(before);
        assertThat(learner.buffered()).isEqualTo(5);
    }

    @Test
    void theLongestFeaturesAndTheSmallestPropensitiesLeaveFiniteParameters() {
        for (ObjectiveName objective : ObjectiveName.ofStreams()) {
            LoopLearner learner =
                    start(
                            Specs.of(Specs.dense(), objective).toBuilder()
                                    .set(LoopSettings.TAU, 1e-12)
                                    .set(LoopSettings.SMOOTHING, 1e-6)
                                    .build());
            for (int i = 0; i < 100; i++) {
                float sign = i % 2 == 0 ? 1 : -1;
                var x = DenseVector.of(sign * 0x1p49f, -sign * 0x1p49f, 1);
                learner.learn(new LoggedExample(x, i % K, Double.MIN_VALUE, 1.0, 0), i);
            }
            assertThat(learner.freeze(true).model())
                    .as(objective.toString())
                    .isNotNull(); // refuses NaN
        }
    }

    private static LoggedExample example(float[] x, int action) {
        return new LoggedExample(DenseVector.of(x), action, 0.5, 1.0, 0);
    }

    private static LoggedExample excluding(int action, int... excluded) {
        return new LoggedExample(
                DenseVector.of(new float[D]), AllowedActions.allBut(excluded), action, 0.5, 1.0, 0);
    }

    private static LoggedExample hashedExample() {
        var phi = ActionFeatures.of(2, new int[] {0, 1, 2}, new int[] {0, 1}, new float[] {1, 1});
        return new LoggedExample(phi, 0, 0.5, 1.0, 0);
    }

    @Test
    void anImmediateChangeContinuesWithTheSameParameters() {
        LoopLearner learner = LoopLearner.start(Specs.dense(), Specs.MANY_BYTES, storage);
        learn(learner, 0, 60);
        LearnerState before = learner.state();
        List<LoggedExample> buffered = examples(learner);
        LoopSpec changed =
                Specs.batches(Specs.dense().with(LoopSettings.LEARNING_RATE, 0.1), 4, 0, 20, 1);
        LoopLearner after = learner.changedTo(changed);
        assertThat(after.state().parameters()).isEqualTo(before.parameters());
        learn(after, 60, 61);
        assertThat(examples(after)).hasSize(11).startsWith(buffered.get(40));
    }

    @Test
    void pendingExamplesAreLearnedBeforeMiniBatchesChange() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 47);
        LoopLearner changed = learner.changedTo(Specs.batches(Specs.dense(), 4, 0, 20, 1));
        assertThat(changed.progress().pending()).isZero();
        assertThat(changed.progress().learned()).isEqualTo(47);
    }

    @Test
    void aChangeThatIsNotImmediateIsRefusedWithItsReason() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 50);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> learner.changedTo(Specs.of(Specs.dense(), ObjectiveName.WNLL_LPR)))
                .withMessage(
                        "the change is not immediate: objective: the current parameters were learned"
                                + " with the old value");
    }

    @Test
    void beforeAnyStepOfTheGenerationEvenTheObjectiveMayChange() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 9); // no step yet
        LoopSpec changed = Specs.of(Specs.dense(), ObjectiveName.WNLL_LPR);
        LoopLearner after = learner.changedTo(changed);
        LoopLearner fresh = start(changed);
        learn(fresh, 0, 100);
        learn(after, 9, 100);
        assertThat(after.state().parameters()).isEqualTo(fresh.state().parameters());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start(Specs.dense()).changedTo(Specs.vectors(K, 2).build()))
                .withMessageStartingWith("the change is not immediate: features: ");
    }

    @Test
    void pendingExamplesAreLearnedForTheChangedObjectiveOnly() {
        LoopSpec other = Specs.of(Specs.dense(), ObjectiveName.WNLL_LPR);
        LoopSpec both = Specs.batches(other, 4, 0, 20, 1);
        LoopLearner learner = start(Specs.dense());
        LoopLearner fresh = start(other);
        learn(learner, 0, 7);
        learn(fresh, 0, 7);
        assertThat(learner.changedTo(both).state().parameters())
                .isEqualTo(fresh.changedTo(both).state().parameters());
    }

    @Test
    void anExampleFitsExactlyWhereItCanBeLearned() {
        LoopLearner learner = start(Specs.dense());
        learner.requireFit(example(new float[D], K - 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.requireFit(example(new float[D], K)))
                .withMessage("action must be below 4, got 4");
        assertThat(learner.progress().received()).as("asking is not learning").isZero();
    }

    @Test
    void theBytesOfTheBufferBoundWhatIsKeptForCertificates() {
        long ofOne = 128 + 4L * D;
        LoopLearner learner = LoopLearner.start(Specs.dense(), 25 * ofOne + ofOne / 2, storage);
        learn(learner, 0, 105);
        assertThat(learner.buffered()).as("two mini-batches and a half").isEqualTo(25);
        assertThat(learner.openBytes()).isEqualTo(5 * ofOne);
        assertThat(examples(learner)).last().isEqualTo(log.example(104));
        assertThat(learner.freeze(true).certificate().orElseThrow().n()).isEqualTo(25);
        learn(learner, 105, 106);
        assertThat(learner.buffered()).as("the oldest mini-batch is removed").isEqualTo(16);
    }

    @Test
    void aStateOfAnotherShapeIsRefused() {
        LearnerState state = start(Specs.dense()).state();
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                LoopLearner.restore(
                                        Specs.vectors(2, 2).build(),
                                        Specs.MANY_BYTES,
                                        storage,
                                        state))
                .withMessageContaining("has 6 parameters, got 16");
    }
}
