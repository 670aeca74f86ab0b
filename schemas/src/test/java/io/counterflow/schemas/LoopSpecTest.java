package io.counterflow.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.loop.LearnerSpec;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.ExplorationFloor;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.SoftmaxPolicy;
import io.counterflow.core.rollout.GateSpec;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopName;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.json.LoopSpecJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LoopSpecTest {

    private static final LoopSpecJson JSON = new LoopSpecJson(JsonLimits.defaults());
    private static final LinearModel MODEL =
            new DenseModel(new float[][] {{1, 0}, {0, 1}}, new float[] {0, 0.5f});
    private static final Features X = DenseVector.of(3.0f, 4.0f);

    private static LoopSpec dense(String fields) {
        String text = "{\"actions\":[\"a\",\"b\"],\"features\":2";
        return JSON.read(
                text + (fields.isEmpty() ? "}" : "," + fields + "}"), "home", 1, Instant.EPOCH);
    }

    private static LoopSpec shaped(LoopShape shape) {
        return LoopSpec.of("home", Instant.EPOCH, shape);
    }

    @Test
    void aDigestIgnoresVersionAndTimeAndNothingElse() {
        List<String> specs =
                new ArrayList<>(
                        List.of(
                                "{\"features\":3,\"actions\":[\"a\",\"b\"]}",
                                "{\"features\":2,\"actions\":[\"b\",\"a\"]}",
                                "{\"bits\":2}",
                                "{\"bits\":2,\"actionIds\":false}",
                                "{\"bits\":2,\"interactions\":[]}",
                                "{\"bits\":2,\"actions\":[\"a\"]}",
                                "{\"bits\":2,\"actions\":[{\"id\":\"a\",\"features\":{\"x\":1}}]}"));
        List<String> changes =
                List.of(
                        "\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"variance\":1",
                        "\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"variance\":2",
                        "\"policy\":\"mixedLogit\",\"propensityKind\":\"upperBound\",\"variance\":1",
                        "\"propensityDraws\":7",
                        "\"inverseTemperature\":2",
                        "\"explorationFloor\":0.1",
                        "\"distributionLimit\":9",
                        "\"unloggedDecision\":\"answer\"",
                        "\"normBound\":3",
                        "\"objective\":\"ls-lpr\"",
                        "\"lambda\":0.25",
                        "\"varianceLambda\":0.75",
                        "\"tau\":0.02",
                        "\"smoothing\":0.3",
                        "\"delta\":0.01",
                        "\"priorVariance\":2",
                        "\"learningRate\":0.4",
                        "\"adaGradSmoothing\":0.6",
                        "\"batchSize\":11",
                        "\"replay\":2",
                        "\"bufferLimit\":130",
                        "\"seed\":-5",
                        "\"snapshotExamples\":17",
                        "\"snapshotInterval\":\"90m\"",
                        "\"attributionWindow\":\"30s\"",
                        "\"defaultReward\":0.125",
                        "\"rewardAggregation\":\"max\"",
                        "\"rolloutMode\":\"gated\"",
                        "\"canaryShare\":0.2",
                        "\"candidateExamples\":19",
                        "\"automaticRollback\":false",
                        "\"startingPolicy\":{\"model\":\"dense\",\"weights\":[[0,0],[0,0]],"
                                + "\"biases\":[0,0]}",
                        "\"startingPolicy\":{\"model\":\"dense\",\"weights\":[[0,0],[0,1]],"
                                + "\"biases\":[0,0]}");
        for (String change : changes) {
            specs.add("{\"actions\":[\"a\",\"b\"],\"features\":2," + change + "}");
        }
        Set<String> digests = new HashSet<>();
        for (String text : specs) {
            LoopSpec spec = JSON.read(text, "home", 1, Instant.EPOCH);
            assertThat(digests.add(spec.digest())).as(text).isTrue();
            LoopSpec later = JSON.read(text, "home", 9, Instant.EPOCH.plusSeconds(1));
            assertThat(later.digest()).as(text).isEqualTo(spec.digest()).hasSize(64);
            assertThat(later).isNotEqualTo(spec);
        }
        assertThat(digests.add(dense("").digest())).isTrue();
        LoopSpec other =
                LoopSpec.of("other", Instant.EPOCH, new LoopShape.Dense(List.of("a", "b"), 2));
        assertThat(digests.add(other.digest())).as("another loop").isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".a", "-a", "a b", "a/b", "ä", "a\n"})
    void aNameThatIsNoKeyIsRefused(String loop) {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                LoopSpec.of(
                                        loop, Instant.EPOCH, new LoopShape.Dense(List.of("a"), 1)))
                .withMessageStartingWith("loop must be 1 to 200 letters");
    }

    @Test
    void aNameHasAtMost200Characters() {
        assertThat(LoopName.require("a".repeat(200))).hasSize(200);
        assertThatIllegalArgumentException().isThrownBy(() -> LoopName.require("a".repeat(201)));
    }

    @Test
    void aVersionCountsFromOne() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> JSON.read("{\"bits\":1}", "home", 0, Instant.EPOCH))
                .withMessage("version must be at least 1, got 0");
    }

    @Test
    void aModelMustStayWithinItsLimits() {
        List<String> many = Collections.nCopies(10_001, "a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LoopShape.Dense(many, 1))
                .withMessage("actions must be at most 10000, got 10001");
        List<String> hundred = names(100);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LoopShape.Dense(hundred, 1_000_000))
                .withMessageContaining("actions times features must be at most 67108864");
    }

    private static List<String> names(int n) {
        return IntStream.range(0, n).mapToObj(i -> "a" + i).toList();
    }

    @Test
    void aStartingPolicyMustFitTheShape() {
        EncoderSpec encoder = EncoderSpec.ofBits(2);
        PolicySnapshot hashed =
                PolicySnapshot.of("x", 1, HashedModel.zeros(2), Optional.of(encoder));
        LoopShape.Hashed other = new LoopShape.Hashed(2, List.of(), true, List.of());
        assertThat(other.fits(hashed.model(), hashed.encoder())).isFalse();
        LoopShape.Hashed same =
                new LoopShape.Hashed(2, EncoderSpec.ALL_INTERACTIONS, true, List.of());
        assertThat(same.fits(hashed.model(), hashed.encoder())).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> starting(shaped(other), hashed))
                .withMessage(
                        "startingPolicy must have the loop's shape (2 bits, interactions [],"
                                + " actionIds true), got a hashed model of 2 bits, interactions"
                                + " [*:*], actionIds true");
        assertThat(starting(shaped(same), hashed).startingVersion()).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> starting(dense(""), hashed))
                .withMessageContaining("must have the loop's shape (2 actions x 2 features)");
    }

    @Test
    void aStartingPolicyMustBeOneThatLearningCanGoOnFrom() {
        DenseModel largest =
                new DenseModel(new float[][] {{(float) 1e15, 0}, {0, (float) -1e15}}, new float[2]);
        PolicySnapshot last = PolicySnapshot.of("x", 1L << 53, largest, Optional.empty());
        assertThat(starting(dense(""), last).startingVersion()).isEqualTo(1L << 53);

        DenseModel beyond =
                new DenseModel(new float[][] {{0, 0}, {0, (float) -1.1e15}}, new float[2]);
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                starting(
                                        dense(""),
                                        PolicySnapshot.of("x", 1, beyond, Optional.empty())))
                .withMessageStartingWith(
                        "startingPolicy must have parameters in [-1e15, 1e15], got -1.0");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () ->
                                starting(
                                        dense(""),
                                        PolicySnapshot.of(
                                                "x", (1L << 53) + 1, largest, Optional.empty())))
                .withMessage(
                        "startingPolicy.version must be at most 9007199254740992, got"
                                + " 9007199254740993");
    }

    @Test
    void parametersAreCountedWithTheirBiases() {
        for (LoopShape shape :
                List.of(
                        new LoopShape.Dense(names(3), 5),
                        new LoopShape.Hashed(4, List.of(), true, List.of()))) {
            LinearModel model = shape.zeros();
            assertThat(shape.parameterCount()).isEqualTo(model.weightCount() + model.biasCount());
        }
    }

    private static LoopSpec starting(LoopSpec spec, PolicySnapshot start) {
        return new LoopSpec(
                spec.loop(),
                spec.version(),
                spec.time(),
                spec.shape(),
                spec.normBound(),
                spec.decisions(),
                Optional.of(start),
                spec.learning(),
                spec.rewardRule(),
                spec.rollout());
    }

    @Test
    void aLoopStartsUniformAtVersionZero() {
        LoopSpec spec = dense("");
        assertThat(spec.startingVersion()).isZero();
        assertThat(spec.startingModel().squaredDistance(DenseModel.zeros(2, 2))).isZero();
    }

    @ParameterizedTest
    @CsvSource({"100, 0.1", "10000, 0.01", "10000000, 3.1622776601683794e-4"})
    void smoothingIsOneOverTheRootOfTheBufferWhereTheSpecLeavesItOpen(int limit, double expected) {
        LoopSpec spec = dense("\"bufferLimit\":" + limit);
        assertThat(spec.learnerSpec().objective().smoothing()).isEqualTo(expected);
    }

    @Test
    void theLearnerIsToldWhatTheSpecSays() {
        LearnerSpec learner =
                dense(
                                """
                                "objective":"ls-lpr","lambda":0.25,"tau":0.02,"smoothing":0.3,
                                "delta":0.01,"priorVariance":2,"learningRate":0.4,
                                "adaGradSmoothing":0.6,"batchSize":11,"replay":2,"bufferLimit":13,
                                "seed":-5,"snapshotExamples":17,"snapshotInterval":"2s"\
                                """)
                        .learnerSpec();
        assertThat(learner.objective())
                .isEqualTo(new StreamObjective(StreamObjective.Kind.LS_LPR, 0.25, 0.02, 0.3));
        assertThat(learner.optimizer().learningRate()).isEqualTo(0.4);
        assertThat(learner.optimizer().smoothing()).isEqualTo(0.6);
        assertThat(learner.batches().size()).isEqualTo(11);
        assertThat(learner.batches().replay()).isEqualTo(2);
        assertThat(learner.batches().bufferCapacity()).isEqualTo(13);
        assertThat(learner.batches().seed()).isEqualTo(-5);
        assertThat(learner.snapshots().everyExamples()).isEqualTo(17);
        assertThat(learner.snapshots().everyMs()).isEqualTo(2_000);
        assertThat(learner.delta()).isEqualTo(0.01);
        assertThat(learner.priorVariance()).isEqualTo(2.0);
        assertThat(learner.shape().weightCount()).isEqualTo(4);
    }

    @Test
    void theGateIsToldWhatTheSpecSays() {
        assertThat(
                        dense(
                                        """
                                        "rolloutMode":"gated","delta":0.01,"canaryShare":0.2,
                                        "candidateExamples":19,"automaticRollback":false\
                                        """)
                                .gateSpec())
                .isEqualTo(new GateSpec(RolloutMode.GATED, 0.01, 19, 0.2, false));
    }

    @Test
    void aPlainSoftmaxIsServedAsItIs() {
        assertThat(dense("\"explorationFloor\":0").policyOf(MODEL))
                .isEqualTo(new SoftmaxPolicy(MODEL));
    }

    @Test
    void temperatureAndFloorAreServed() {
        double[] served = new double[2];
        dense("\"inverseTemperature\":2,\"explorationFloor\":0.1")
                .policyOf(MODEL)
                .probabilities(X, served);
        double[] expected = new double[2];
        new ExplorationFloor(new SoftmaxPolicy(MODEL.scaled(2.0)), 0.1).probabilities(X, expected);
        assertThat(served).isEqualTo(expected);
    }

    @Test
    void aMixedLogitDecidesWithPropensitiesOfItsKind() {
        String mixed = "\"policy\":\"mixedLogit\",\"variance\":0.5,\"propensityKind\":";
        LoopSpec estimated = dense(mixed + "\"estimated\"");
        LoopSpec bounded = dense(mixed + "\"upperBound\"");
        EventRandom random = EventRandom.of("e-1");
        assertThat(estimated.loggingPolicyOf(MODEL).decide(X, random).kind())
                .isEqualTo(PropensityKind.ESTIMATED);
        assertThat(bounded.loggingPolicyOf(MODEL).decide(X, random).kind())
                .isEqualTo(PropensityKind.UPPER_BOUND);
        assertThatIllegalStateException().isThrownBy(() -> estimated.policyOf(MODEL));
    }

    @Test
    void theNormBoundIsEnforcedOnVectorsAndOnNamedFeatures() {
        LoopSpec vectors = dense("\"normBound\":1");
        assertThat(vectors.bounded(X).largestSquaredNorm()).isLessThanOrEqualTo(1.0);
        assertThat(dense("").bounded(X)).isSameAs(X);
        NamedFeatures loud =
                new NamedFeatures(
                        List.of(new NamedFeatures.Entry("x", new FeatureValue.Quantity(50.0))));
        List<NamedAction> actions = List.of(new NamedAction("a", loud));
        LoopSpec named = JSON.read("{\"bits\":4,\"normBound\":2}", "home", 1, Instant.EPOCH);
        assertThat(named.namedEncoder().encode(loud, actions).largestSquaredNorm())
                .isLessThanOrEqualTo(4.0);
        LoopSpec free = JSON.read("{\"bits\":4}", "home", 1, Instant.EPOCH);
        assertThat(free.namedEncoder().encode(loud, actions).largestSquaredNorm())
                .isGreaterThan(4.0);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> vectors.namedEncoder().encode(loud, actions));
    }

    @Test
    void aTextOfASpecHasNoFeatures() {
        LoopSpec spec =
                JSON.read(
                        "{\"bits\":4,\"actions\":[{\"id\":\"a\",\"features\":{\"x\":\"secret\"}}]}",
                        "home",
                        3,
                        Instant.EPOCH);
        assertThat(spec).hasToString("spec 3 of loop home");
        assertThat(spec.normBound()).isEqualTo(OptionalDouble.empty());
    }
}
