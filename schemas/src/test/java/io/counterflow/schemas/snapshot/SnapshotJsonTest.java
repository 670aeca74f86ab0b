package io.counterflow.schemas.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SnapshotJsonTest {

    private static PolicySnapshot read(String json) throws InvalidSnapshotException {
        return SnapshotJson.read(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aDenseSnapshotLooksAsTheContractSays() {
        DenseModel model =
                new DenseModel(
                        new float[][] {{0.1f, 0.0f}, {-2.5f, 1e-8f}}, new float[] {0.0f, 0.5f});
        String json =
                SnapshotJson.toJson(PolicySnapshot.of("home", 4, model, Optional.empty()), true);
        assertThat(json)
                .startsWith("{\"loop\":\"home\",\"version\":4,\"parentVersion\":null,")
                .contains(
                        "\"model\":\"dense\",\"actions\":2,\"features\":2,"
                                + "\"weights\":[[0.1,0.0],[-2.5,1.0E-8]],\"biases\":[0.0,0.5]");
    }

    @Test
    void aHashedSnapshotLooksAsTheContractSays() {
        HashedModel model = new HashedModel(2, new float[] {0.0f, 0.25f, 0.0f, -1.0f});
        EncoderSpec encoder = new EncoderSpec(2, List.of(new Interaction("user", "topic")), false);
        String json =
                SnapshotJson.toJson(
                        PolicySnapshot.of("home", 4, model, Optional.of(encoder)), true);
        assertThat(json)
                .contains(
                        "\"model\":\"hashed\",\"bits\":2,\"interactions\":[\"user:topic\"],"
                                + "\"actionIds\":false,\"weights\":{\"1\":0.25,\"3\":-1.0}");
    }

    @Test
    void aFileWrittenByHandNeedsOnlyTheModel() throws InvalidSnapshotException {
        PolicySnapshot snapshot =
                read("{\"model\":\"dense\",\"weights\":[[1,2],[3,4]],\"biases\":[0,0]}");
        DenseModel model = (DenseModel) snapshot.model();
        assertThat(model.weights(1)).containsExactly(3.0f, 4.0f);
        assertThat(snapshot.decisionRule()).isEqualTo(DecisionRule.PLAIN);
    }

    @Test
    void aSnapshotSaysHowItIsServed() throws InvalidSnapshotException {
        String fields =
                "\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"propensityDraws\":7,"
                        + "\"inverseTemperature\":2.0,\"explorationFloor\":0.1,\"variance\":0.5";
        PolicySnapshot snapshot =
                read("{\"model\":\"dense\",\"weights\":[[1]],\"biases\":[0]," + fields + "}");
        assertThat(snapshot.decisionRule())
                .isEqualTo(
                        new DecisionRule(
                                PolicyKind.MIXED_LOGIT,
                                2.0,
                                0.1,
                                OptionalDouble.of(0.5),
                                PropensityKind.ESTIMATED,
                                7));
        assertThat(SnapshotJson.toJson(snapshot, true)).contains(fields);
    }

    @Test
    void anEditedSnapshotWithItsOldChecksumIsRefused() {
        DenseModel model = new DenseModel(new float[][] {{0.125f}}, new float[] {0.0f});
        String json =
                SnapshotJson.toJson(PolicySnapshot.of("home", 4, model, Optional.empty()), true);
        assertEditRefused(json, "0.125", "0.25");
        assertEditRefused(json, "\"inverseTemperature\":1.0", "\"inverseTemperature\":2.0");
        assertEditRefused(json, "\"explorationFloor\":0.0", "\"explorationFloor\":0.1");
    }

    private static void assertEditRefused(String json, String before, String after) {
        assertThat(json).contains(before);
        assertThatExceptionOfType(InvalidSnapshotException.class)
                .isThrownBy(() -> read(json.replace(before, after)))
                .withMessageContaining("remove it from an edited file");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | model must be given, dense or hashed",
                "{\"model\":\"deep\"} | model must be dense or hashed, got another",
                "{\"model\":\"dense\"} | weights (an array of arrays) and biases must be given",
                "{\"model\":\"hashed\",\"bits\":2} | weights (an object from index to value)",
                "{\"model\":\"hashed\",\"bits\":2,\"weights\":{\"4\":1}} | got 4 after -1",
                "{\"model\":\"hashed\",\"bits\":2,\"weights\":{\"x\":1}} | weights must have whole numbers as names",
                "{\"model\":\"hashed\",\"bits\":99,\"weights\":{}} | bits must be in [1, 30]",
                "{\"model\":\"dense\",\"weights\":[[1e60]],\"biases\":[0]} | must be finite",
                "{\"model\":\"dense\",\"weights\":[[1],[1,2]],\"biases\":[0,0]} | weights of action",
                "{\"model\":\"dense\",\"actions\":3,\"weights\":[[1]],\"biases\":[0]} | actions must",
                "{\"model\":\"dense\",\"weights\":[[1]],\"biases\":[0],\"variance\":-1} | variance",
                "{\"model\":\"dense\",\"weights\":[[1]],\"biases\":[0],\"version\":-1} | version",
                "{\"model\":\"dense\",\"weights\":[[1]],\"biases\":[0],\"policy\":\"x\"} | policy must",
                "{\"model\":\"dense\",\"weight\":[[1]]} | weight must not be given, it is unknown",
                "{\"certificate\":{\"delta\":\"x\"}} | certificate.delta must be a number",
                "{\"certificate\":{\"d\":1}} | certificate.d must not be given, it is unknown",
                "{\"version\":1.5} | version must be a whole number",
                "{\"version\":\"1\"} | version must be a whole number",
                "{\"version\":1e99} | version must be a whole number",
                "{\"version\":99999999999999999999} | version must be a number within its range",
                "{\"bits\":99999999999} | bits must be a number within its range",
                "{\"loop\":7} | loop must be a string",
                "{\"loop\":\"\\ud800\"} | loop must be valid Unicode",
                "{\"propensitiesEstimated\":1} | propensitiesEstimated must be true or false",
                "{\"weights\":7} | weights must be an array",
                "{\"weights\":[[1,null]]} | weights[0][1] must be a number",
                "{\"weights\":{\"1\":null}} | weights must",
                "{\"weights\":{\"1\":0.5,\"1\":0.5}} | must have each field once",
                "{\"weights\":{\"1\":0.5,\"01\":0.5}} | weights must have each index once",
                "{\"version\":1,\"version\":2} | must have each field once",
                "{\"weights\":[[1 | ends before the object does",
                "{\"version\":1,} | is malformed at column",
                "[] | must be a JSON object, got an array",
            })
    void aMessageNamesWhatIsWrong(String json, String message) {
        assertThatExceptionOfType(InvalidSnapshotException.class)
                .isThrownBy(() -> read(json))
                .withMessageContaining(message);
    }
}
