package io.counterflow.core.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.learn.Learner;
import io.counterflow.core.learn.Objectives;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.UniformPolicy;
import io.counterflow.core.simulation.SimulatedLoop;
import org.junit.jupiter.api.Test;

final class LoopLearnerTest {

    private static final int K = Specs.ACTIONS;
    private static final int D = Specs.DIMENSION;
    private static final MiniBatches NO_REPLAY = new MiniBatches(10, 0, 50, 7);

    private final ExampleLog log =
            new SimulatedLoop(K, D, 1).log(new UniformPolicy(K), 400, new EventRandom(2));

    private static LoopLearner start(LearnerSpec spec) {
        return LoopLearner.start(spec, 0, spec.shape());
    }

    private void learn(LoopLearner learner, int from, int to) {
        for (int i = from; i < to; i++) {
            learner.learn(log.example(i), i);
        }
    }

    @Test
    void withoutReplayItTakesTheStepsOfThePlainLearner() {
        LearnerSpec spec = Specs.with(Specs.dense(), NO_REPLAY);
        LoopLearner loop = start(spec);
        learn(loop, 0, 100);

        Learner plain = Learner.start(spec.shape(), spec.shape(), 1e-4, spec.optimizer(), 10);
        var loss = Objectives.ipsLpr(0.01, 1e-4).fixedLoss().orElseThrow();
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
    void replayTakesFurtherSteps() {
        LoopLearner once = start(Specs.with(Specs.dense(), NO_REPLAY));
        LoopLearner thrice = start(Specs.dense());
        learn(once, 0, 100);
        learn(thrice, 0, 100);
        assertThat(thrice.state().parameters()).isNotEqualTo(once.state().parameters());
        assertThat(thrice.progress()).isEqualTo(once.progress());
    }

    @Test
    void theBufferKeepsTheMostRecentExamplesOfTheGeneration() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 123);
        assertThat(learner.buffered()).isEqualTo(50);
        for (int age = 0; age < 50; age++) {
            assertThat(learner.state().examples().get(age)).isEqualTo(log.example(73 + age));
        }
        assertThat(learner.progress().received()).isEqualTo(123);
    }

    @Test
    void aStragglerTrainsButIsInNoCertificate() {
        LearnerSpec spec = Specs.dense();
        LoopLearner learner = start(spec);
        learn(learner, 0, 37);
        LoopLearner without = LoopLearner.restore(spec, learner.state());
        LoggedExample next = log.example(37);
        for (int i = 0; i < 3; i++) {
            learner.learn(new LoggedExample(next.features(), next.action(), 0.5, 1.0, -1), 40 + i);
            without.learn(new LoggedExample(next.features(), next.action(), 0.5, 0.0, -1), 40 + i);
        }
        assertThat(learner.state().parameters()).isNotEqualTo(without.state().parameters());
        Candidate candidate = learner.freeze();
        assertThat(candidate.examples()).isEqualTo(40);
        assertThat(candidate.certificate().orElseThrow().estimates().n()).isEqualTo(37);
        assertThat(candidate.certificate().orElseThrow().estimates().onPolicyMean().value())
                .isEqualTo(
                        without.freeze()
                                .certificate()
                                .orElseThrow()
                                .estimates()
                                .onPolicyMean()
                                .value());
    }

    @Test
    void onlyStragglersGiveNoCertificate() {
        LoopLearner learner = LoopLearner.start(Specs.dense(), 5, Specs.dense().shape());
        learn(learner, 0, 20); // logged by version 0
        assertThat(learner.freeze().certificate()).isEmpty();
    }

    @Test
    void theCertificateOfThePriorItselfIsItsOwnMeanReward() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 9); // no step yet
        CandidateCertificate certificate = learner.freeze().certificate().orElseThrow();
        assertThat(certificate.estimates().ips().value())
                .isCloseTo(certificate.estimates().onPolicyMean().value(), within(1e-12));
        assertThat(certificate.riskBound().divergence()).isNotNegative();
        assertThat(certificate.logSmoothedBound().total())
                .isLessThan(certificate.estimates().ips().value());
    }

    @Test
    void aCandidateIsDueAfterSoManyExamples() {
        LoopLearner learner = start(Specs.dense());
        for (int i = 0; i < 120; i++) {
            learner.learn(log.example(i), 0);
            assertThat(learner.snapshotDue()).isEqualTo((i + 1) % 40 == 0);
            if (learner.snapshotDue()) {
                assertThat(learner.freeze().version()).isEqualTo((i + 1) / 40);
            }
        }
    }

    @Test
    void aCandidateIsDueAfterSoMuchEventTime() {
        LoopLearner learner = start(Specs.with(Specs.dense(), new SnapshotCadence(0, 1_000)));
        learn(learner, 0, 20);
        assertThat(learner.snapshotDue()).isFalse();
        learner.learn(log.example(20), 999);
        assertThat(learner.snapshotDue()).isFalse();
        learner.learn(log.example(21), 1_000);
        assertThat(learner.snapshotDue()).isTrue();
        learner.freeze();
        assertThat(learner.snapshotDue()).isFalse();
        learner.learn(log.example(22), 5_000);
        assertThat(learner.snapshotDue()).as("no step was taken since").isFalse();
        learn(learner, 23, 30);
        assertThat(learner.snapshotDue()).isTrue();
    }

    @Test
    void noCadenceIsNeverDue() {
        LoopLearner learner = start(Specs.with(Specs.dense(), new SnapshotCadence(0, 0)));
        learn(learner, 0, 400);
        assertThat(learner.snapshotDue()).isFalse();
    }

    @Test
    void aPromotedPolicyIsThePriorAndTheStartOfTheNextGeneration() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 40);
        Candidate candidate = learner.freeze();
        learn(learner, 40, 97);
        float[] memory = learner.state().squaredGradientSum();
        learner.promote(candidate.version(), candidate.model());

        LearnerState state = learner.state();
        assertThat(state.prior()).isEqualTo(FlatParameters.of(candidate.model()));
        assertThat(state.parameters()).isEqualTo(state.prior());
        assertThat(state.squaredGradientSum()).isEqualTo(memory);
        assertThat(state.examples()).hasSize(7).last().isEqualTo(log.example(96));
        assertThat(learner.priorVersion()).isEqualTo(1);
        assertThat(state.progress().learned()).isZero();

        learn(learner, 97, 100); // completes the mini-batch with what was pending
        Candidate next = learner.freeze();
        assertThat(next.version()).isEqualTo(2);
        assertThat(next.parentVersion()).isEqualTo(1);
        assertThat(next.examples()).isEqualTo(10);
        assertThat(next.certificate()).as("all logged by version 0").isEmpty();
    }

    @Test
    void aRollbackToAnOldVersionDoesNotUseItsNumbersAgain() {
        LoopLearner learner = start(Specs.dense());
        learner.freeze();
        Candidate second = learner.freeze();
        learner.promote(second.version(), second.model());
        learner.promote(0, Specs.dense().shape());
        assertThat(learner.freeze().version()).isEqualTo(3);
    }

    @Test
    void anExampleThatDoesNotFitIsRefusedAndChangesNothing() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 5);
        LearnerProgress before = learner.progress();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(example(new float[D + 1], 0), 6))
                .withMessage("features must be a context vector of 3 coordinates, got 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(example(new float[D], K), 6))
                .withMessage("action must be below 4, got 4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(example(new float[] {0x1p54f, 0, 0}, 0), 6))
                .withMessage("the norm of the features must be at most 1.0E15");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> learner.learn(log.example(5), -1))
                .withMessage("eventTimeMs must be at least 0, got -1");
        assertThat(learner.progress()).isEqualTo(before);
        assertThat(learner.buffered()).isEqualTo(5);
    }

    @Test
    void theLongestFeaturesAndTheSmallestPropensitiesLeaveFiniteParameters() {
        for (StreamObjective.Kind kind : StreamObjective.Kind.values()) {
            LoopLearner learner =
                    start(Specs.with(Specs.dense(), new StreamObjective(kind, 1e-4, 1e-12, 1e-6)));
            for (int i = 0; i < 100; i++) {
                float sign = i % 2 == 0 ? 1 : -1;
                var x = DenseVector.of(sign * 0x1p49f, -sign * 0x1p49f, 1);
                learner.learn(new LoggedExample(x, i % K, Double.MIN_VALUE, 1.0, 0), i);
            }
            assertThat(learner.freeze().model()).as(kind.label()).isNotNull(); // refuses NaN
        }
    }

    private static LoggedExample example(float[] x, int action) {
        return new LoggedExample(DenseVector.of(x), action, 0.5, 1.0, 0);
    }

    @Test
    void aHotChangeGoesOnFromTheSameParameters() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 60);
        LearnerState before = learner.state();
        LearnerSpec changed =
                Specs.with(
                        Specs.with(Specs.dense(), new AdaGrad(0.1, 1.0)),
                        new MiniBatches(4, 0, 20, 1));
        LearnerState after = learner.changedTo(changed).state();
        assertThat(after.parameters()).isEqualTo(before.parameters());
        assertThat(after.examples()).isEqualTo(before.examples().subList(30, 50));
    }

    @Test
    void whatIsPendingIsLearnedBeforeMiniBatchesChange() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 47);
        LoopLearner changed =
                learner.changedTo(Specs.with(Specs.dense(), new MiniBatches(4, 0, 20, 1)));
        assertThat(changed.progress().pending()).isZero();
        assertThat(changed.progress().learned()).isEqualTo(47);
    }

    @Test
    void aChangeThatIsNotHotIsRefusedWithItsReason() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 50);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                learner.changedTo(
                                        Specs.with(Specs.dense(), StreamObjective.Kind.WNLL_LPR)))
                .withMessage(
                        "the change is not hot: objective: the parameters were learned for another"
                                + " objective");
    }

    @Test
    void beforeAnyStepOfTheGenerationEvenTheObjectiveMayChange() {
        LoopLearner learner = start(Specs.dense());
        learn(learner, 0, 9); // no step yet
        LearnerSpec changed = Specs.with(Specs.dense(), StreamObjective.Kind.WNLL_LPR);
        LoopLearner after = learner.changedTo(changed);
        LoopLearner fresh = start(changed);
        learn(fresh, 0, 100);
        learn(after, 9, 100);
        assertThat(after.state().parameters()).isEqualTo(fresh.state().parameters());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> start(Specs.dense()).changedTo(Specs.of(DenseModel.zeros(2, 2))))
                .withMessageStartingWith("the change is not hot: shape: ");
    }

    @Test
    void whatIsPendingIsLearnedForTheChangedObjectiveOnly() {
        LearnerSpec other = Specs.with(Specs.dense(), StreamObjective.Kind.WNLL_LPR);
        LearnerSpec both = Specs.with(other, new MiniBatches(4, 0, 20, 1));
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
        LearnerSpec spec = Specs.dense().withBufferBytes(4L * D * 25);
        LoopLearner learner = start(spec);
        learn(learner, 0, 100);
        assertThat(learner.buffered()).isEqualTo(25);
        assertThat(learner.bufferedBytes()).isEqualTo(4L * D * 25);
        assertThat(learner.state().examples()).last().isEqualTo(log.example(99));
        assertThat(learner.freeze().certificate().orElseThrow().estimates().n()).isEqualTo(25);
    }

    @Test
    void aStateOfAnotherShapeIsRefused() {
        LearnerState state = start(Specs.dense()).state();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LoopLearner.restore(Specs.of(DenseModel.zeros(2, 2)), state))
                .withMessageContaining("has 6 parameters, got 16");
    }
}
