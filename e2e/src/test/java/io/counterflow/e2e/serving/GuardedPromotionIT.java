package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * From the registration of candidates over HTTP through serving and the job to a promotion. Users
 * like the action {@code tempting} most, but complain about it.
 */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
final class GuardedPromotionIT {

    private static final String LOOP = "/v1/loops/guarded";
    private static final int MOST_VISITS = 20_000;

    @TempDir private Path directory;

    @Test
    void theCandidateThatMeetsTheGuardrailIsPromoted(SharedKafka kafka, EmbeddedFlink flink)
            throws Exception {
        RunningJob job = RunningJob.start(kafka, flink, directory.resolve("storage"));
        try (RunningServing serving = RunningServing.start(kafka, "")) {
            assertThat(
                            serving.put(
                                            LOOP,
                                            """
                                            {"actions":["plain","good","tempting"],"features":1,
                                             "attributionWindow":"300ms","explorationFloor":0.2,
                                             "snapshotExamples":0,"snapshotRewards":0,"rolloutMode":"gated",
                                             "guardrailMargin":0.1,"guardrailDefaultReward":1}
                                            """)
                                    .statusCode())
                    .isEqualTo(201);
            RunningServing.await("the start of the loop", () -> !history(serving).isEmpty());
            register(serving, "\"constantAction\":\"tempting\"", "clicks");
            register(serving, "\"constantAction\":\"good\"", "clicks without complaints");
            String unknown = register(serving, "\"greedyOf\":99", "not there");

            SplittableRandom random = new SplittableRandom(3);
            for (int i = 0; i < MOST_VISITS && active(serving) == 0; i++) {
                visit(serving, "e-" + i, random);
            }

            assertThat(active(serving)).as("the second registered version").isEqualTo(2);
            JsonNode promoted = change(serving, "promoted");
            assertThat(promoted.get("guardrailLowerBound").asDouble()).isGreaterThan(-0.1);
            assertThat(promoted.get("differenceLowerBound").asDouble()).isGreaterThanOrEqualTo(0);
            assertThat(promoted.get("registeredVersions").toString()).isEqualTo("[1]");
            assertThat(promoted.get("reason").asText())
                    .startsWith("version 2 is better than 0 by at least 0.")
                    .contains("; its guardrail difference is at least ");
            assertThat(change(serving, "registered").get("reason").asText())
                    .isEqualTo("version 1: always action \"tempting\"; clicks");
            JsonNode refused = change(serving, "refused");
            assertThat(refused.get("commandId").asText()).isEqualTo(unknown);
            assertThat(refused.get("reason").asText())
                    .isEqualTo("version 99 is not one of the stored versions");
            assertServes(serving, "good");
        } finally {
            job.stop();
        }
    }

    private static String register(RunningServing serving, String policy, String reason)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                serving.post(
                        LOOP + "/rollout",
                        "{\"action\":\"register\",\"reason\":\"%s\",%s}".formatted(reason, policy));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        return RunningServing.json(response).get("commandId").asText();
    }

    /** A visit: the user may click, and may complain. */
    private static void visit(RunningServing serving, String eventId, SplittableRandom random)
            throws IOException, InterruptedException {
        JsonNode answer = rank(serving, eventId);
        String action = answer.get("actionId").asText();
        double clicks =
                switch (action) {
                    case "tempting" -> 0.95;
                    case "good" -> 0.8;
                    default -> 0.05;
                };
        String events = LOOP + "/events/" + eventId + "/reward";
        if (random.nextDouble() < clicks) {
            assertThat(serving.post(events, "{\"value\":1}").statusCode()).isEqualTo(202);
        }
        if (action.equals("tempting") && random.nextDouble() < 0.9) {
            assertThat(serving.post(events, "{\"value\":0,\"metric\":\"guardrail\"}").statusCode())
                    .isEqualTo(202);
        }
    }

    private static JsonNode rank(RunningServing serving, String eventId)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                serving.post(
                        LOOP + "/rank",
                        "{\"eventId\":\"%s\",\"context\":{\"dense\":[1]}}".formatted(eventId));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return RunningServing.json(response);
    }

    /** The share of the floor goes to the other two actions. */
    private static void assertServes(RunningServing serving, String action)
            throws IOException, InterruptedException {
        for (JsonNode entry : rank(serving, "after").get("ranking")) {
            boolean chosen = entry.get("id").asText().equals(action);
            double floor = 0.2 / 3.0;
            assertThat(entry.get("probability").asDouble())
                    .isCloseTo(chosen ? 0.8 + floor : floor, within(1e-9));
        }
    }

    private static long active(RunningServing serving) {
        JsonNode history = history(serving); // once: it grows
        return history.get(history.size() - 1).get("activeVersion").asLong();
    }

    private static JsonNode change(RunningServing serving, String kind) {
        for (JsonNode change : history(serving)) {
            if (change.get("kind").asText().equals(kind)) {
                return change;
            }
        }
        throw new AssertionError("no change of the kind " + kind + " in " + history(serving));
    }

    private static JsonNode history(RunningServing serving) {
        try {
            return RunningServing.json(serving.get(LOOP + "/policies")).get("history");
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
