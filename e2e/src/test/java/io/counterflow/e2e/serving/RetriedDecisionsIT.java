package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.e2e.streaming.JournalLog;
import io.counterflow.schemas.record.DeadLetterRecord;
import io.counterflow.schemas.record.JournalRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.wire.WireCodec;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Callers that ask for the same event again, at another replica and after a promotion. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class RetriedDecisionsIT {

    private static final String LOOP = "/v1/loops/retried";
    private static final int EVENTS = 20;

    @TempDir private Path directory;

    @Test
    void onlyEventsWithOneAnswerCount(SharedKafka kafka, EmbeddedFlink flink) throws Exception {
        RunningJob job = RunningJob.start(kafka, flink, directory.resolve("storage"));
        try (RunningServing first = RunningServing.start(kafka, "");
                RunningServing second = RunningServing.start(kafka, "")) {
            first.put(
                    LOOP,
                    """
                    {"actions":["a","b"],"features":1,"attributionWindow":"20s",
                     "explorationFloor":0.2,"snapshotExamples":0,"snapshotRewards":0,
                     "rolloutMode":"manual"}
                    """);
            awaitVersion(first, 0);
            awaitVersion(second, 0);
            for (int i = 0; i < EVENTS; i++) {
                JsonNode answer = rank(first, "same-" + i);
                assertThat(rank(second, "same-" + i)).isEqualTo(answer);
                reward(second, "same-" + i);
                rank(first, "changed-" + i);
            }
            command(first, "\"action\":\"register\",\"constantAction\":\"b\"");
            command(first, "\"action\":\"promote\",\"version\":1");
            awaitVersion(first, 1);
            awaitVersion(second, 1);
            for (int i = 0; i < EVENTS; i++) {
                assertThat(rank(second, "changed-" + i).get("policyVersion").asLong()).isOne();
                reward(second, "changed-" + i);
            }

            RunningServing.await("examples", () -> rewards(first).size() >= EVENTS);
            RunningServing.await("late records", () -> late(first) >= EVENTS);
            assertThat(rewards(first))
                    .hasSize(EVENTS)
                    .allSatisfy(
                            (eventId, reward) -> {
                                assertThat(eventId).startsWith("same-");
                                assertThat(reward).isOne();
                            });
        } finally {
            job.stop();
        }
    }

    private static void awaitVersion(RunningServing serving, long version) {
        RunningServing.await(
                "version " + version,
                () ->
                        serving.metrics()
                                .contains(
                                        "counterflow_loop_policy_version{loop=\"retried\"} "
                                                + version
                                                + ".0"));
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

    private static void reward(RunningServing serving, String eventId)
            throws IOException, InterruptedException {
        assertThat(
                        serving.post(LOOP + "/events/" + eventId + "/reward", "{\"value\":1}")
                                .statusCode())
                .isEqualTo(202);
    }

    private static void command(RunningServing serving, String command)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                serving.post(LOOP + "/rollout", "{%s,\"reason\":\"test\"}".formatted(command));
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
    }

    private static Map<String, Double> rewards(RunningServing serving) {
        WireCodec<JournalRecord> codec = WireCodec.of(JournalRecord.class);
        return new JournalLog(
                        serving.records(Topic.JOURNAL, JournalRecord.class).stream()
                                .map(codec::encode)
                                .toList())
                .rewards();
    }

    private static long late(RunningServing serving) {
        return serving.records(Topic.LATE, DeadLetterRecord.class).stream()
                .filter(it -> it.getRule().equals("CONFLICTING_IMPRESSION"))
                .count();
    }
}
