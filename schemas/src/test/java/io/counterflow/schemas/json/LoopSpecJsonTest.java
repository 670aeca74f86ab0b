package io.counterflow.schemas.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.loop.StreamObjective;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.DecisionRule;
import io.counterflow.schemas.LearningRule;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.RolloutRule;
import io.counterflow.schemas.SpecDraws;
import io.counterflow.schemas.record.LoopSpecRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.LongStream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class LoopSpecJsonTest {

    private static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");
    private static final String DENSE = "\"actions\":[\"a\",\"b\"],\"features\":3";

    private final LoopSpecJson json = new LoopSpecJson(JsonLimits.defaults());

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    private LoopSpec read(String text) {
        return json.read(text, "home", 4, TIME);
    }

    private LoopSpec dense(String fields) {
        return read("{" + DENSE + (fields.isEmpty() ? "" : ",") + fields + "}");
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void whatIsWrittenIsReadAgain(long seed) {
        LoopSpec spec = new SpecDraws(seed).spec();
        String text = json.write(spec);
        LoopSpec read = json.read(text, spec.loop(), spec.version(), spec.time());
        assertThat(read).isEqualTo(spec);
        assertThat(json.write(read)).isEqualTo(text);
    }

    @Test
    void theDefaultsAreThese() {
        LoopSpec spec = dense("");
        assertThat(spec.loop()).isEqualTo("home");
        assertThat(spec.version()).isEqualTo(4);
        assertThat(spec.time()).isEqualTo(TIME);
        assertThat(spec.shape()).isEqualTo(new LoopShape.Dense(List.of("a", "b"), 3));
        assertThat(spec.normBound()).isEmpty();
        assertThat(spec.startingPolicy()).isEmpty();
        assertThat(spec.decisions())
                .isEqualTo(
                        new DecisionRule(
                                DecisionRule.Kind.SOFTMAX,
                                PropensityKind.EXACT,
                                1_000,
                                OptionalDouble.empty(),
                                1.0,
                                0.05,
                                100,
                                DecisionRule.UnloggedDecision.REFUSE));
        assertThat(spec.learning())
                .isEqualTo(
                        new LearningRule(
                                new LearningRule.Loss(
                                        StreamObjective.Kind.TRUST_LPR,
                                        1e-6,
                                        1.0,
                                        0.01,
                                        OptionalDouble.empty()),
                                new LearningRule.Optimizer(1.0, 1.0),
                                new LearningRule.Batches(100, 64, 100_000, 1),
                                new LearningRule.Snapshots(10_000, Duration.ZERO),
                                0.05,
                                1.0));
        assertThat(spec.rewardRule()).isEqualTo(RewardRule.none());
        assertThat(spec.rollout()).isEqualTo(new RolloutRule(RolloutMode.MANUAL, 1.0, 0, true));
    }

    @Test
    void everyFieldReachesItsPlace() {
        LoopSpec spec =
                dense(
                        """
                        "policy":"mixedLogit","propensityKind":"upperBound","propensityDraws":7,
                        "variance":0.5,"inverseTemperature":2,"explorationFloor":0.1,
                        "distributionLimit":9,"unloggedDecision":"answer","normBound":3.5,
                        "objective":"ls-lpr","lambda":0.25,"varianceLambda":0.75,"tau":0.02,
                        "smoothing":0.3,"delta":0.01,"priorVariance":2,"learningRate":0.4,
                        "adaGradSmoothing":0.6,"batchSize":11,"replay":2,"bufferLimit":13,
                        "seed":-5,"snapshotExamples":17,"snapshotInterval":"1h30m",
                        "attributionWindow":"PT30S","defaultReward":0.125,
                        "rewardAggregation":"max","rolloutMode":"immediate","canaryShare":0.2,
                        "candidateExamples":19,"automaticRollback":false,
                        "startingPolicy":{"version":6,"model":"dense",
                          "weights":[[1,2,3],[4,5,6]],"biases":[7,8]}\
                        """);
        assertThat(spec.normBound()).hasValue(3.5);
        assertThat(spec.decisions())
                .isEqualTo(
                        new DecisionRule(
                                DecisionRule.Kind.MIXED_LOGIT,
                                PropensityKind.UPPER_BOUND,
                                7,
                                OptionalDouble.of(0.5),
                                2.0,
                                0.1,
                                9,
                                DecisionRule.UnloggedDecision.ANSWER));
        assertThat(spec.learning())
                .isEqualTo(
                        new LearningRule(
                                new LearningRule.Loss(
                                        StreamObjective.Kind.LS_LPR,
                                        0.25,
                                        0.75,
                                        0.02,
                                        OptionalDouble.of(0.3)),
                                new LearningRule.Optimizer(0.4, 0.6),
                                new LearningRule.Batches(11, 2, 13, -5),
                                new LearningRule.Snapshots(17, Duration.ofMinutes(90)),
                                0.01,
                                2.0));
        assertThat(spec.rewardRule())
                .isEqualTo(
                        new RewardRule(
                                Duration.ofSeconds(30), 0.125, RewardAggregation.MAX, false));
        assertThat(spec.rollout())
                .isEqualTo(new RolloutRule(RolloutMode.IMMEDIATE, 0.2, 19, false));
        assertThat(spec.startingVersion()).isEqualTo(6);
        assertThat(((DenseModel) spec.startingModel()).weights(1)).containsExactly(4, 5, 6);
    }

    @Test
    void everyFieldOfTheSchemaIsWritten() {
        Set<String> expected = new HashSet<>();
        for (Schema.Field field : LoopSpecRecord.getClassSchema().getFields()) {
            if (!field.name().equals("shape")) {
                expected.add("\"" + field.name().replaceAll("Ms$", "") + "\":");
            }
        }
        assertThat(json.write(dense(""))).contains(expected);
    }

    @Test
    void aHashedShapeHasActionsWithFeatures() {
        LoopShape.Hashed shape =
                (LoopShape.Hashed)
                        read("""
                             {"bits":18,"interactions":["user:topic"],"actionIds":false,
                              "actions":[{"id":"a","features":{"topic":"sport"}},"b"]}
                             """)
                                .shape();
        assertThat(shape.bits()).isEqualTo(18);
        assertThat(shape.interactions()).containsExactly(new Interaction("user", "topic"));
        assertThat(shape.idFeatures()).isFalse();
        assertThat(shape.actionIds()).containsExactly("a", "b");
        assertThat(shape.fixedActions().get(0).features().entries()).hasSize(1);
        assertThat(shape.fixedActions().get(1).features().entries()).isEmpty();
    }

    @Test
    void aHashedShapeNeedsOnlyBits() {
        LoopSpec spec = read("{\"bits\":4}");
        assertThat(spec.encoder()).hasValue(EncoderSpec.ofBits(4));
        assertThat(spec.fixedActions()).isEmpty();
    }

    @Test
    void nullIsTheSameAsAbsent() {
        assertThat(dense("\"lambda\":null,\"startingPolicy\":null,\"policy\":null"))
                .isEqualTo(dense(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | features must be given for context vectors, or bits for named features",
                "{\"bits\":3,\"features\":2} | got both",
                "{\"features\":2} | actions must be at least 1, got 0",
                "{\"features\":2,\"actions\":[\"a\",\"a\"]} | actions[1] must be unique, got \"a\"",
                "{\"features\":2,\"actions\":[\"\"]} | actions[0] must not be empty",
                "{\"features\":2,\"actions\":[7]} | actions[0] must be a string",
                "{\"features\":2,\"actions\":[{\"id\":\"a\"}]} | actions must be strings where",
                "{\"features\":0,\"actions\":[\"a\"]} | features must be in [1, 1000000], got 0",
                "{\"features\":2,\"actions\":[\"a\"],\"actionIds\":true} | actionIds must be absent",
                "{\"features\":2,\"actions\":[\"a\"],\"interactions\":[]} | interactions must be ab",
                "{\"bits\":27} | bits must be in [1, 26], got 27",
                "{\"bits\":3,\"interactions\":[\"user\"]} | interaction must be written",
                "{\"bits\":3,\"actions\":[{\"features\":{}}]} | actions[0].id must not be empty",
                "{\"bits\":3,\"actions\":[{\"id\":\"a\",\"feature\":{}}]} | actions[0] must have id",
                "{\"bits\":3,\"actions\":[{\"id\":\"a\",\"features\":{\"x\":1e300}}]} | actions must",
                "[] | must be a JSON object, got an array",
                "{\"bits\":3}{} | must be one JSON object",
                "{\"bits\":3 | must be JSON, ends before the object does",
            })
    void aMessageSaysWhatIsWrongWithTheShape(String text, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(text))
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"lamda\":1 | lamda must be a field of a spec, got an unknown one; did you mean lam",
                "\"Tau\":1 | did you mean tau?",
                "\"zzzzzz\":null | zzzzzz must be a field of a spec, got an unknown one",
                "\"tau\":1,\"tau\":1 | tau must be given once, got it again",
                "\"loop\":\"other\" | loop must be \"home\" or absent, got another",
                "\"policy\":\"unknown\" | policy must be one of softmax, mixedLogit, got \"unknown\"",
                "\"rolloutMode\":\"GATED\" | rolloutMode must be one of manual, immediate, gated",
                "\"lambda\":\"x\" | lambda must be a finite number, got a string",
                "\"lambda\":1e999 | lambda must be a finite number",
                "\"lambda\":-1 | lambda must be in [0, 1e9], got -1.0",
                "\"varianceLambda\":-1 | varianceLambda must be in [0, 1e9], got -1.0",
                "\"tau\":0 | tau must be in [1e-12, 1], got 0.0",
                "\"delta\":1 | delta must be in (0, 1), got 1.0",
                "\"priorVariance\":0 | priorVariance must be in [1e-12, 1e12], got 0.0",
                "\"smoothing\":0 | smoothing must be in [1e-6, 1e6], got 0.0",
                "\"normBound\":0 | normBound must be finite and above 0, got 0.0",
                "\"learningRate\":0 | learningRate must be in (0, 1e6], got 0.0",
                "\"adaGradSmoothing\":0 | adaGradSmoothing must be in [1e-12, 1e12], got 0.0",
                "\"batchSize\":0 | batchSize must be at least 1, got 0",
                "\"batchSize\":-1 | batchSize must be in [0, 2147483647], got -1",
                "\"replay\":1001 | replay must be in [0, 1000], got 1001",
                "\"bufferLimit\":99 | bufferLimit must be in [100, 10000000], from the batchSize on",
                "\"snapshotExamples\":-1 | snapshotExamples must be at least 0, got -1",
                "\"snapshotInterval\":\"-PT1S\" | snapshotInterval must be in [PT0S, PT8784000H]",
                "\"snapshotInterval\":\"soon\" | snapshotInterval must be a duration like 30s or",
                "\"snapshotInterval\":\"99999999999999999999s\" | must be a duration like",
                "\"snapshotInterval\":\"PT0.0001S\" | snapshotInterval must be whole milliseconds",
                "\"attributionWindow\":\"200000000d\" | attributionWindow must be in [PT0S,",
                "\"attributionWindow\":\"PT9999999999999999S\" | must be a shorter duration",
                "\"attributionWindow\":30 | attributionWindow must be a string",
                "\"defaultReward\":2 | defaultReward must be in [0, 1], got 2.0",
                "\"objective\":\"poem\" | objective must be one that a stream can learn",
                "\"propensityKind\":\"estimated\" | propensityKind must be exact with a softmax",
                "\"variance\":1 | variance must be absent with a softmax, got 1.0",
                "\"policy\":\"mixedLogit\" | propensityKind must be estimated or upperBound with",
                "\"propensityDraws\":1 | propensityDraws must be in [2, 1000000], got 1",
                "\"inverseTemperature\":-1 | inverseTemperature must be in [0, 1e6], got -1.0",
                "\"explorationFloor\":2 | explorationFloor must be in [0, 1], got 2.0",
                "\"distributionLimit\":10001 | distributionLimit must be in [0, 10000], got 10001",
                "\"canaryShare\":0 | canaryShare must be in (0, 1], got 0.0",
                "\"candidateExamples\":-1 | candidateExamples must be at least 0, got -1",
                "\"startingPolicy\":3 | startingPolicy must be an object",
                "\"startingPolicy\":{} | startingPolicy is invalid: model must be given",
                "\"startingPolicy\":{\"model\":\"dense\",\"weights\":[[1]],\"biases\":[0]} | startin",
            })
    void aMessageSaysWhatIsWrongWithAField(String fields, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dense(fields))
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\"",
                "\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"variance\":0",
                "\"policy\":\"mixedLogit\",\"propensityKind\":\"exact\",\"variance\":1",
                "\"policy\":\"mixedLogit\",\"propensityKind\":\"learned\",\"variance\":1",
                "\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"variance\":1,"
                        + "\"rolloutMode\":\"gated\"",
                "\"inverseTemperature\":10,\"startingPolicy\":{\"model\":\"dense\","
                        + "\"weights\":[[1e38,0,0],[0,0,0]],\"biases\":[0,0]}",
            })
    void whatDoesNotGoTogetherIsRefused(String fields) {
        assertThatIllegalArgumentException().isThrownBy(() -> dense(fields));
    }

    @Test
    void aNestingWithoutEndIsRefused() {
        String deep = "{\"bits\":3,\"actions\":[{\"id\":\"a\",\"features\":" + "{\"x\":".repeat(50);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> read(deep))
                .withMessageContaining("is beyond a limit");
    }

    @Test
    void aLongUnknownNameIsCutShort() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> dense("\"" + "x".repeat(5_000) + "\":1"))
                .withMessageStartingWith("x".repeat(40) + " must be a field");
    }

    @Test
    void bytesThatAreNoTextAreRefused() {
        byte[] bytes = "{\"bits\":3,\"seed\":1}".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            byte[] broken = bytes.clone();
            broken[i] = (byte) 0xFF;
            assertThatIllegalArgumentException()
                    .as("byte %d", i)
                    .isThrownBy(() -> json.read(broken, "home", 1, TIME));
        }
    }
}
