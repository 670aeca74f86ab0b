package io.counterflow.serving.rollout;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.rollout.RegisteredPolicy;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.rollout.RolloutCommandConversion;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RolloutEndpointIT {

    private static final String PATH = "/v1/loops/home/rollout";

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    private List<RolloutCommandRecord> commands() {
        return serving.topics().records(Topic.ROLLOUT_COMMANDS, RolloutCommandRecord.class);
    }

    @Test
    void aCommandIsWrittenWithItsCallerAndTime() {
        JsonNode answer =
                json(
                        202,
                        serving.post(
                                PATH,
                                "{\"action\":\"canary\",\"version\":3,\"share\":0.25,"
                                        + "\"reason\":\"try it\",\"commandId\":\"c-1\"}"));
        assertThat(answer.get("commandId").asText()).isEqualTo("c-1");
        RolloutCommandRecord command = commands().get(0);
        assertThat(command.getCommandId()).isEqualTo("c-1");
        assertThat(command.getLoop()).isEqualTo("home");
        assertThat(command.getAction()).isEqualTo(RolloutActionRecord.CANARY);
        assertThat(command.getVersion()).isEqualTo(3);
        assertThat(command.getShare()).isEqualTo(0.25);
        assertThat(command.getReason()).isEqualTo("try it");
        assertThat(command.getTime()).isEqualTo(ServingFixture.NOW);
        assertThat(serving.topics().keys(Topic.ROLLOUT_COMMANDS)).containsExactly("home");
    }

    private static PolicySnapshot snapshot(int features) {
        return PolicySnapshot.of(
                "elsewhere",
                7,
                new DenseModel(new float[3][features], new float[] {1, 2, 3}),
                Optional.empty());
    }

    private static String registration(String snapshot) {
        return "{\"action\":\"register\",\"reason\":\"last month\",\"snapshot\":%s}"
                .formatted(snapshot);
    }

    @Test
    void aSnapshotIsRegisteredWithItsWeights() {
        String body = registration(SnapshotJson.toJson(snapshot(2), true));
        json(202, serving.post(PATH, body));
        RolloutCommandRecord record = commands().get(0);
        assertThat(record.getAction()).isEqualTo(RolloutActionRecord.REGISTER);
        RolloutCommand command = RolloutCommandConversion.fromRecord(record);
        assertThat(command.reason()).isEqualTo("last month");
        assertThat(command.policy())
                .hasValueSatisfying(
                        it ->
                                assertThat(it)
                                        .usingRecursiveComparison()
                                        .isEqualTo(new RegisteredPolicy.Snapshot(snapshot(2))));
    }

    @Test
    void shortFormsAreWrittenAsTheyWereSent() {
        json(202, serving.post(PATH, "{\"action\":\"register\",\"reason\":\"r\",\"greedyOf\":7}"));
        json(
                202,
                serving.post(
                        PATH,
                        "{\"action\":\"register\",\"reason\":\"r\",\"constantAction\":\"b\"}"));
        assertThat(commands())
                .extracting(it -> RolloutCommandConversion.fromRecord(it).policy().orElseThrow())
                .containsExactly(
                        new RegisteredPolicy.GreedyOf(7), new RegisteredPolicy.ConstantAction("b"));
    }

    @Test
    void aRegistrationThatCannotSucceedIsRefusedAtOnce() {
        problem(
                400,
                "bad-request",
                "snapshot must have the loop's shape (3 actions x 2 features), got a dense model of"
                        + " 3 actions x 5 features",
                serving.post(PATH, registration(SnapshotJson.toJson(snapshot(5), true))));
        problem(
                400,
                "bad-request",
                "snapshot is invalid: weights",
                serving.post(PATH, registration(SnapshotJson.toJson(snapshot(2), false))));
        problem(
                400,
                "bad-request",
                "snapshot is invalid: checksum",
                serving.post(
                        PATH,
                        registration(
                                SnapshotJson.toJson(snapshot(2), true)
                                        .replace("[1.0,2.0,3.0]", "[1.0,2.0,4.0]"))));
        assertThat(commands()).isEmpty();
    }

    @Test
    void aRegistrationThatIsTooLargeIsRefused() {
        String weights = "[" + "0.0,".repeat(300_000) + "0.0]";
        String snapshot =
                "{\"model\":\"dense\",\"weights\":[%s],\"biases\":[0]}".formatted(weights);
        problem(413, "body-too-large", "at most", serving.post(PATH, registration(snapshot)));
        assertThat(commands()).isEmpty();
    }

    @Test
    void aRegisteredVersionIsWithdrawn() {
        json(
                202,
                serving.post(
                        PATH, "{\"action\":\"withdraw\",\"version\":5,\"reason\":\"outdated\"}"));
        assertThat(commands().get(0).getAction()).isEqualTo(RolloutActionRecord.WITHDRAW);
        assertThat(commands().get(0).getVersion()).isEqualTo(5);
    }

    @Test
    void aCommandWithoutAnIdGetsOne() {
        JsonNode answer =
                json(202, serving.post(PATH, "{\"action\":\"pause\",\"reason\":\"holiday\"}"));
        assertThat(commands().get(0).getCommandId())
                .isEqualTo(answer.get("commandId").asText())
                .hasSize(36);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {}                                                              | action
                    {"action":"pause"}                                              | reason
                    {"action":"stop","reason":"r"}                                  | action
                    {"action":"promote","version":1.5,"reason":"r"}                 | version
                    {"action":"canary","version":1,"reason":"r"}                    | share
                    {"action":"canary","version":1,"share":2,"reason":"r"}          | share
                    {"action":"canary","version":1,"share":NaN,"reason":"r"}        | must be JSON
                    {"action":"pause","reason":"r","commandId":""}                  | commandId
                    {"action":"pause","reason":"r","force":true}                    | force
                    {"action":"register","reason":"r"}                              | snapshot
                    {"action":"register","reason":"r","greedyOf":-1}                | greedyOf must be at least 0
                    {"action":"register","reason":"r","greedyOf":"3"}               | greedyOf
                    {"action":"pause","reason":"r","greedyOf":3}                    | greedyOf or constantAction
                    {"action":"register","reason":"r","constantAction":""}          | constantAction must not be empty
                    {"action":"register","reason":"r","constantAction":"nobody"}    | constantAction must be one of the 3 actions
                    {"action":"register","reason":"r","constantAction":"a","greedyOf":1} | only one of
                    {"action":"register","reason":"r","snapshot":7}                 | snapshot
                    {"action":"register","reason":"r","snapshot":{}}                | snapshot
                    {"action":"register","reason":"r","snapshot":{"model":"x"}}     | snapshot
                    {"action":"register","reason":"r","snapshot":{"a":1}}           | snapshot
                    {"action":"register","reason":"r","snapshot":{"model":"hashed","bits":60,"weights":{}}} | snapshot
                    {"action":"register","reason":"r","snapshot":{"model":"dense","weights":[[1e99]],"biases":[0]}} | snapshot
                    """)
    void aRefusalNamesTheField(String body, String detail) {
        problem(400, "bad-request", detail, serving.post(PATH, body));
        assertThat(commands()).isEmpty();
    }

    @Test
    void aPromotionWithoutAVersionMeansTheCandidate() {
        json(202, serving.post(PATH, "{\"action\":\"promote\",\"reason\":\"r\"}"));
        assertThat(commands().get(0).getVersion()).isNull();
    }

    @Test
    void longNamesAndReasonsAreRefused() {
        String reason = "{\"action\":\"pause\",\"reason\":\"%s\"}".formatted("r".repeat(2_001));
        problem(400, "bad-request", "reason", serving.post(PATH, reason));
        String id =
                "{\"action\":\"pause\",\"reason\":\"r\",\"commandId\":\"%s\"}"
                        .formatted("c".repeat(201));
        problem(400, "bad-request", "commandId", serving.post(PATH, id));
    }

    @Test
    void aCommandThatIsNotStoredIsRefusedWithItsId() {
        serving.topics().setAvailable(false);
        JsonNode problem =
                problem(
                        503,
                        "not-logged",
                        "send it again with this commandId",
                        serving.post(
                                PATH,
                                "{\"action\":\"pause\",\"reason\":\"r\",\"commandId\":\"c-2\"}"));
        assertThat(problem.get("commandId").asText()).isEqualTo("c-2");
    }

    @Test
    void anUnknownLoopIsNamed() {
        problem(
                404,
                "unknown-loop",
                "\"nobody\"",
                serving.post(
                        "/v1/loops/nobody/rollout", "{\"action\":\"pause\",\"reason\":\"r\"}"));
    }
}
