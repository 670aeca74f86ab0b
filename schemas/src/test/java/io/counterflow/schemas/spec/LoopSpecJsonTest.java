package io.counterflow.schemas.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.Setting;
import io.counterflow.core.spec.UnloggedDecision;
import io.counterflow.schemas.SpecDraws;
import io.counterflow.schemas.json.JsonLimits;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.LongStream;
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
    void absentSettingsHaveTheirDefaults() {
        LoopSpec spec = dense("");
        assertThat(spec.loop()).isEqualTo("home");
        assertThat(spec.version()).isEqualTo(4);
        assertThat(spec.time()).isEqualTo(TIME);
        assertThat(spec.shape()).isEqualTo(new LoopShape.Dense(List.of("a", "b"), 3));
        for (Setting<?> setting : LoopSettings.ALL) {
            if (setting != LoopSettings.FEATURES && setting != LoopSettings.ACTIONS) {
                assertThat((Object) spec.get(setting))
                        .as(setting.name())
                        .isEqualTo(setting.defaultValue());
            }
        }
    }

    @Test
    void everyFieldSetsItsSetting() {
        LoopSpec spec =
                dense(
                        """
                        "policy":"mixedLogit","propensityKind":"upperBound","propensityDraws":7,
                        "variance":0.5,"inverseTemperature":2,"explorationFloor":0.1,
                        "distributionLimit":9,"featureLimit":8,"unloggedDecision":"answer",
                        "normBound":3.5,
                        "objective":"ls-lpr","lambda":0.25,"priorVariance":0.7,"tau":0.02,
                        "smoothing":0.3,"delta":0.01,"learningRate":0.4,
                        "adaGradSmoothing":0.6,"batchSize":11,"bufferSteps":2,"bufferCapacity":13,
                        "seed":-5,"snapshotExamples":17,"snapshotInterval":"1h30m",
                        "attributionWindow":"PT30S","defaultReward":0.125,
                        "rewardAggregation":"max","rolloutMode":"immediate","canaryShare":0.2,
                        "candidateExamples":19,"automaticRollback":false,
                        "holdoutShare":0.05,"holdoutVersion":8,
                        "startingPolicy":{"version":6,"model":"dense",
                          "weights":[[1,2,3],[4,5,6]],"biases":[7,8]}\
                        """);
        PolicySnapshot start =
                PolicySnapshot.of(
                        "default",
                        6,
                        new DenseModel(new float[][] {{1, 2, 3}, {4, 5, 6}}, new float[] {7, 8}),
                        Optional.empty());
        assertThat(spec)
                .isEqualTo(
                        LoopSpec.builder("home")
                                .at(4, TIME)
                                .vectors(3, "a", "b")
                                .set(LoopSettings.NORM_BOUND, OptionalDouble.of(3.5))
                                .set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                                .set(LoopSettings.PROPENSITY_KIND, PropensityKind.UPPER_BOUND)
                                .set(LoopSettings.PROPENSITY_DRAWS, 7L)
                                .set(LoopSettings.VARIANCE, OptionalDouble.of(0.5))
                                .set(LoopSettings.INVERSE_TEMPERATURE, 2.0)
                                .set(LoopSettings.EXPLORATION_FLOOR, 0.1)
                                .set(LoopSettings.FEATURE_LIMIT, 8L)
                                .set(LoopSettings.DISTRIBUTION_LIMIT, 9L)
                                .set(LoopSettings.UNLOGGED_DECISION, UnloggedDecision.ANSWER)
                                .set(LoopSettings.OBJECTIVE_NAME, ObjectiveName.LS_LPR)
                                .set(LoopSettings.LAMBDA, 0.25)
                                .set(LoopSettings.PRIOR_VARIANCE, 0.7)
                                .set(LoopSettings.TAU, 0.02)
                                .set(LoopSettings.SMOOTHING, 0.3)
                                .set(LoopSettings.DELTA, 0.01)
                                .set(LoopSettings.LEARNING_RATE, 0.4)
                                .set(LoopSettings.ADA_GRAD_SMOOTHING, 0.6)
                                .set(LoopSettings.BATCH_SIZE, 11L)
                                .set(LoopSettings.BUFFER_STEPS, 2L)
                                .set(LoopSettings.BUFFER_CAPACITY, 13L)
                                .set(LoopSettings.SEED, -5L)
                                .set(LoopSettings.SNAPSHOT_EXAMPLES, 17L)
                                .set(LoopSettings.SNAPSHOT_INTERVAL, Duration.ofMinutes(90))
                                .set(LoopSettings.ATTRIBUTION_WINDOW, Duration.ofSeconds(30))
                                .set(LoopSettings.DEFAULT_REWARD, 0.125)
                                .set(LoopSettings.REWARD_AGGREGATION, RewardAggregation.MAX)
                                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.IMMEDIATE)
                                .set(LoopSettings.CANARY_SHARE, 0.2)
                                .set(LoopSettings.CANDIDATE_EXAMPLES, 19L)
                                .set(LoopSettings.AUTOMATIC_ROLLBACK, false)
                                .set(LoopSettings.HOLDOUT_SHARE, 0.05)
                                .set(LoopSettings.HOLDOUT_VERSION, OptionalLong.of(8))
                                .set(LoopSettings.STARTING_POLICY, Optional.of(start))
                                .build());
    }

    @Test
    void theFieldsAreTheSettingsOfTheTableInItsOrder() throws IOException {
        List<String> expected = new ArrayList<>(List.of("loop", "version", "time"));
        LoopSettings.ALL.forEach(setting -> expected.add(setting.name()));
        assertThat(fieldsOf(json.write(dense("")))).isEqualTo(expected);
        assertThat(fieldsOf(json.write(read("{\"bits\":3}")))).isEqualTo(expected);
    }

    private static List<String> fieldsOf(String text) throws IOException {
        List<String> names = new ArrayList<>();
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                names.add(parser.currentName());
                parser.nextToken();
                parser.skipChildren();
            }
        }
        return names;
    }

    @Test
    void aSpecIsWrittenInReadableForm() {
        assertThat(
                        json.write(
                                dense(
                                        """
                                        "snapshotInterval":"PT1H30M","attributionWindow":"600s",
                                        "objective":"ls-lpr","unloggedDecision":"answer"\
                                        """)))
                .contains("\"features\":3,\"bits\":null,\"actions\":[\"a\",\"b\"]")
                .contains("\"interactions\":[\"*:*\"],\"actionIds\":true,\"normBound\":null")
                .contains(
                        "\"snapshotInterval\":\"1h30m\",\"rewardRange\":[0.0,1.0],\"attributionWindow\":\"10m\"")
                .contains("\"objective\":\"ls-lpr\"")
                .contains("\"unloggedDecision\":\"answer\"")
                .contains("\"rolloutMode\":\"manual\"")
                .endsWith("\"startingPolicy\":null}");
    }

    @Test
    void aWrittenSpecCanBeSentBack() {
        LoopSpec spec = dense("\"lambda\":0.5");
        LoopSpec next = json.read(json.write(spec), "home", 5, TIME.plusSeconds(1));
        assertThat(next).isEqualTo(spec.toBuilder().at(5, TIME.plusSeconds(1)).build());
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
        LoopSpec absent = read("{\"bits\":4}");
        for (Setting<?> setting : LoopSettings.ALL) {
            if (setting != LoopSettings.BITS) {
                assertThat(read("{\"bits\":4,\"%s\":null}".formatted(setting)))
                        .as(setting.name())
                        .isEqualTo(absent);
            }
        }
        assertThat(dense("\"bits\":null,\"loop\":null,\"time\":null")).isEqualTo(dense(""));
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
                "{\"features\":2,\"actions\":[{\"id\":\"a\",\"features\":{\"x\":1}}]} |"
                        + " actions must be ids alone where contexts are vectors",
                "{\"features\":0,\"actions\":[\"a\"]} | features must be in [1, 1000000], got 0",
                "{\"features\":2,\"actions\":[\"a\"],\"actionIds\":false} | actionIds must be absent",
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
                "\"lambda\":-1 | lambda must be in [0, 1e9], got -1",
                "\"tau\":0 | tau must be in [1e-12, 1], got 0",
                "\"delta\":1 | delta must be in [1e-9, 0.999], got 1",
                "\"smoothing\":0 | smoothing must be in [1e-6, 1000000], got 0",
                "\"normBound\":0 | normBound must be in (0, 1e15], got 0",
                "\"learningRate\":0 | learningRate must be in (0, 1000000], got 0",
                "\"adaGradSmoothing\":0 | adaGradSmoothing must be in [1e-12, 1e12], got 0",
                "\"batchSize\":0 | batchSize must be in [1, 1e7], got 0",
                "\"batchSize\":-1 | batchSize must be in [1, 1e7], got -1",
                "\"bufferSteps\":1001 | bufferSteps must be in [0, 1000], got 1001",
                "\"bufferCapacity\":99 | bufferCapacity must be at least the batchSize 100, got 99",
                "\"snapshotExamples\":-1 | snapshotExamples must be at least 0, got -1",
                "\"snapshotInterval\":\"-PT1S\" | snapshotInterval must be at least 0s and at mo",
                "\"snapshotInterval\":\"soon\" | snapshotInterval must be a duration like 30s, 10m",
                "\"snapshotInterval\":\"99999999999999999999s\" | must be a duration like",
                "\"snapshotInterval\":\"PT0.0001S\" | snapshotInterval must be whole milliseconds",
                "\"attributionWindow\":\"200000000d\" | attributionWindow must be at least 0s",
                "\"attributionWindow\":\"PT9999999999999999S\" | attributionWindow must be",
                "\"rewardRange\":[0] | rewardRange must be two numbers, got 1",
                "\"rewardRange\":[0,1,2] | rewardRange must not have more than 2 entries",
                "\"rewardRange\":[1,0] | rewardRange must be two increasing numbers",
                "\"rewardRange\":[0,\"1\"] | rewardRange[1] must be a finite number",
                "\"rewardRange\":[2,3] | defaultReward must be in [2, 3], got 0",
                "\"minimumGain\":1.5 | minimumGain must not be larger than the width of rewardRange [0, 1]",
                "\"attributionWindow\":30 | attributionWindow must be a string",
                "\"defaultReward\":2 | defaultReward must be in [0, 1], got 2",
                "\"objective\":\"poem\" | objective must be one of ",
                "\"propensityKind\":\"estimated\" | propensityKind must be exact with a softmax",
                "\"variance\":1 | variance must be absent with a softmax, got 1.0",
                "\"policy\":\"mixedLogit\" | propensityKind must be estimated or upperBound with",
                "\"propensityDraws\":1 | propensityDraws must be in [2, 1000000], got 1",
                "\"inverseTemperature\":-1 | inverseTemperature must be in [0, 1000000], got -1",
                "\"explorationFloor\":2 | explorationFloor must be in [0, 1], got 2",
                "\"distributionLimit\":10001 | distributionLimit must be in [0, 10000], got 10001",
                "\"canaryShare\":1 | canaryShare must be in [0, 0.95], got 1",
                "\"candidateExamples\":0 | candidateExamples must be at least 1, got 0",
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
                "\"startingPolicy\":{\"model\":\"dense\","
                        + "\"weights\":[[1e38,0,0],[0,0,0]],\"biases\":[0,0]}",
            })
    void contradictorySettingsAreRefused(String fields) {
        assertThatIllegalArgumentException().isThrownBy(() -> dense(fields));
    }

    @Test
    void tooDeepNestingIsRefused() {
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
    void bytesThatAreNotUtf8AreRefused() {
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
