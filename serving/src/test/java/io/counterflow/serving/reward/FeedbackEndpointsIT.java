package io.counterflow.serving.reward;

import static io.counterflow.serving.ServingFixture.json;
import static io.counterflow.serving.ServingFixture.problem;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.ServingFixture;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FeedbackEndpointsIT {

    private static final String REWARD = "/v1/loops/home/events/e-1/reward";
    private static final String ACTIVATE = "/v1/loops/home/events/e-1/activate";

    private final ServingFixture serving = ServingFixture.start();

    @AfterEach
    void close() {
        serving.close();
    }

    private List<RewardRecord> rewards() {
        return serving.topics().records(Topic.REWARDS, RewardRecord.class);
    }

    @Test
    void aRewardIsWrittenAsItWasSent() {
        JsonNode answer =
                json(
                        202,
                        serving.post(
                                "/v1/loops/home/events/e%2F1%20x/reward",
                                "{\"value\":0.5,\"rewardId\":\"r-1\","
                                        + "\"time\":\"2026-01-01T01:00:00+01:00\"}"));
        assertThat(answer.get("rewardId").asText()).isEqualTo("r-1");
        RewardRecord reward = rewards().get(0);
        assertThat(reward.getRewardId()).isEqualTo("r-1");
        assertThat(reward.getEventId()).isEqualTo("e/1 x");
        assertThat(reward.getLoop()).isEqualTo("home");
        assertThat(reward.getValue()).isEqualTo(0.5);
        assertThat(reward.getTime()).isEqualTo(Instant.parse("2026-01-01T00:00:00Z"));
        assertThat(serving.topics().keys(Topic.REWARDS)).containsExactly("e/1 x");
    }

    @Test
    void aRewardWithoutIdAndTimeGetsBoth() {
        JsonNode answer = json(202, serving.post(REWARD, "{\"value\":1}"));
        RewardRecord reward = rewards().get(0);
        assertThat(reward.getRewardId()).isEqualTo(answer.get("rewardId").asText()).hasSize(36);
        assertThat(reward.getTime()).isEqualTo(ServingFixture.NOW);
    }

    @Test
    void aRewardNamesItsMetric() {
        serving.put(
                "/v1/loops/home", ServingFixture.SPEC.replace("}", ",\"guardrailMargin\":0.1}"));
        json(202, serving.post(REWARD, "{\"value\":0.25,\"metric\":\"guardrail\"}"));
        json(202, serving.post(REWARD, "{\"value\":0.5,\"metric\":\"reward\"}"));
        json(202, serving.post(REWARD, "{\"value\":0.75}"));
        assertThat(rewards())
                .extracting(RewardRecord::getMetric)
                .containsExactly(
                        RewardMetricRecord.GUARDRAIL,
                        RewardMetricRecord.REWARD,
                        RewardMetricRecord.REWARD);
    }

    @Test
    void aRewardIsMappedByTheRangeOfItsLoop() {
        json(
                201,
                serving.put(
                        "/v1/loops/shop",
                        ServingFixture.SPEC.replace(
                                "}", ",\"rewardRange\":[-10,30],\"guardrailMargin\":0.1}")));
        json(202, serving.post("/v1/loops/shop/events/e-1/reward", "{\"value\":20}"));
        json(
                202,
                serving.post(
                        "/v1/loops/shop/events/e-1/reward",
                        "{\"value\":0.5,\"metric\":\"guardrail\"}"));
        problem(
                400,
                "bad-request",
                "value must be in [-10, 30], got 31",
                serving.post("/v1/loops/shop/events/e-1/reward", "{\"value\":31}"));
        assertThat(rewards()).extracting(RewardRecord::getValue).containsExactly(0.75, 0.5);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    {}                                          | value must be given
                    {"value":null}                              | value must be given
                    {"value":2}                                 | value
                    {"value":-0.1}                              | value
                    {"value":"1"}                               | value
                    {"value":NaN}                               | must be JSON
                    {"value":1,"rewardId":""}                   | rewardId
                    {"value":1,"time":"yesterday"}              | time must be ISO-8601
                    {"value":1,"time":"2026-01-02T00:00:31Z"}   | time must be between
                    {"value":1,"time":"1999-12-31T00:00:00Z"}   | time must be between
                    {"value":1,"metric":"revenue"}              | metric must be one of reward, guardrail
                    {"value":1,"metric":"guardrail"}            | metric must be reward, because the loop has no guardrailMargin
                    {"value":1,"extra":1}                       | extra
                    {"value":1                                  | must be JSON
                    """)
    void aRefusalNamesTheField(String body, String detail) {
        problem(400, "bad-request", detail, serving.post(REWARD, body));
        assertThat(rewards()).isEmpty();
    }

    @Test
    void aClockMayBeHalfAMinuteAhead() {
        json(202, serving.post(REWARD, "{\"value\":1,\"time\":\"2026-01-02T00:00:30Z\"}"));
    }

    @Test
    void anEventIdInThePathMustNotBeTooLongOrMalformed() {
        String longId = "e".repeat(513);
        problem(
                400,
                "bad-request",
                "eventId must have between 1 and 512 characters, got 513",
                serving.post("/v1/loops/home/events/" + longId + "/reward", "{\"value\":1}"));
        problem(
                400,
                "bad-request",
                "eventId must be valid UTF-8",
                serving.post("/v1/loops/home/events/%ff/activate", ""));
        problem(
                400,
                "bad-request",
                "eventId must not be empty",
                serving.post("/v1/loops/home/events//activate", ""));
    }

    @Test
    void aRewardThatIsNotStoredIsRefusedWithItsId() {
        serving.topics().setAvailable(false);
        HttpResponse<String> response = serving.post(REWARD, "{\"value\":1,\"rewardId\":\"r-9\"}");
        JsonNode problem = problem(503, "not-logged", "send it again with this rewardId", response);
        assertThat(problem.get("rewardId").asText()).isEqualTo("r-9");
        assertThat(response.headers().firstValue("retry-after")).hasValue("1");
    }

    @Test
    void anActivationIsWritten() {
        HttpResponse<String> response = serving.post(ACTIVATE, "");
        assertThat(response.statusCode()).isEqualTo(202);
        assertThat(response.body()).isEmpty();
        List<ActivationRecord> activations =
                serving.topics().records(Topic.REWARDS, ActivationRecord.class);
        assertThat(activations).hasSize(1);
        assertThat(activations.get(0).getEventId()).isEqualTo("e-1");
        assertThat(activations.get(0).getLoop()).isEqualTo("home");
        assertThat(activations.get(0).getTime()).isEqualTo(ServingFixture.NOW);
    }

    @Test
    void anActivationThatIsNotStoredIsRefused() {
        serving.topics().setAvailable(false);
        problem(503, "not-logged", "send it again", serving.post(ACTIVATE, ""));
    }

    @Test
    void feedbackForAnUnknownLoopIsRefused() {
        problem(
                404,
                "unknown-loop",
                "\"nobody\"",
                serving.post("/v1/loops/nobody/events/e-1/reward", "{\"value\":1}"));
        problem(
                404,
                "unknown-loop",
                "\"nobody\"",
                serving.post("/v1/loops/nobody/events/e-1/activate", ""));
    }
}
