package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.cli.embedded.EmbeddedKafka;
import io.counterflow.schemas.record.RewardRecord;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A broker stops and starts again under load. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class BrokerOutageIT {

    private static final String SPEC =
            "{\"actions\":[\"a\",\"b\",\"c\"],\"features\":2,\"explorationFloor\":0.1}";
    private static final int CLIENTS = 4;

    @TempDir private Path directory;

    @Test
    void nothingThatWasAcknowledgedIsLostWhenTheBrokerStops() throws Exception {
        Path data = directory.resolve("k");
        EmbeddedKafka first = EmbeddedKafka.start(data, EmbeddedKafka.FREE_PORT);
        int port = Integer.parseInt(first.bootstrapServers().split(":", -1)[1]);
        Set<String> acknowledged = ConcurrentHashMap.newKeySet();
        Set<String> answered = ConcurrentHashMap.newKeySet();
        AtomicInteger refused = new AtomicInteger();
        AtomicInteger unlogged = new AtomicInteger();
        try (RunningServing serving =
                RunningServing.start(
                        first.bootstrapServers(),
                        "serving.impressions.timeout: 500ms\nserving.rewards.timeout: 1s\n"
                                + "serving.personalizer-loop: personal")) {
            serving.put("/v1/loops/refusing", SPEC);
            serving.put(
                    "/v1/loops/answering", SPEC.replace("}", ",\"unloggedDecision\":\"answer\"}"));
            serving.put("/v1/loops/personal", "{\"bits\":10,\"unloggedDecision\":\"answer\"}");
            AtomicBoolean done = new AtomicBoolean();
            ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
            List<Future<?>> running = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                int client = c;
                running.add(
                        clients.submit(
                                () -> {
                                    for (int i = 0; !done.get(); i++) {
                                        String id = "e-" + client + "-" + i;
                                        rank(serving, id, i % 2 == 0, answered, refused, unlogged);
                                        reward(serving, id, acknowledged, refused);
                                    }
                                    return null;
                                }));
            }
            RunningServing.await("rewards", () -> acknowledged.size() >= 300);
            first.close();
            RunningServing.await("refusals", () -> refused.get() >= 8);
            RunningServing.await("unlogged answers", () -> unlogged.get() >= 3);
            HttpResponse<String> personal =
                    serving.post("/personalizer/v1.0/rank", "{\"actions\":[{\"id\":\"a\"}]}");
            assertThat(personal.statusCode()).isEqualTo(201);
            assertThat(personal.headers().firstValue("counterflow-logged")).hasValue("false");
            assertThat(serving.log().split("kafka-away", -1)) // once for each outage
                    .hasSizeBetween(2, 1 + refused.get() / 2);
            int before = acknowledged.size();
            try (EmbeddedKafka second = EmbeddedKafka.start(data, port)) {
                assertThat(second.bootstrapServers()).isEqualTo(first.bootstrapServers());
                RunningServing.await("rewards again", () -> acknowledged.size() >= before + 300);
                done.set(true);
                clients.shutdown();
                for (Future<?> client : running) {
                    client.get();
                }
                Map<String, Integer> stored = new HashMap<>();
                for (RewardRecord reward : serving.rewards()) {
                    stored.merge(reward.getRewardId(), 1, Integer::sum);
                }
                assertThat(stored.keySet()).containsAll(acknowledged);
                assertThat(acknowledged).allMatch(id -> stored.getOrDefault(id, 0) == 1);
                RunningServing.await("retractions", () -> hasRetracted(serving));
                Set<String> counted = new HashSet<>();
                serving.impressions().forEach(it -> counted.add(it.getEventId()));
                serving.retractions().forEach(it -> counted.remove(it.getEventId()));
                counted.remove(RunningServing.json(personal).get("eventId").asText());
                assertThat(counted).isEqualTo(answered);
                assertThat(serving.metrics())
                        .contains("counterflow_decisions_unlogged_total{outcome=\"answered\"}")
                        .contains("counterflow_decisions_unlogged_total{outcome=\"refused\"}");
                RunningServing.await("news of Kafka", () -> serving.log().contains("kafka-back"));
            }
        }
    }

    private static boolean hasRetracted(RunningServing serving) {
        return serving.metrics().contains("counterflow_retractions_pending 0.0");
    }

    private static void rank(
            RunningServing serving,
            String id,
            boolean refusing,
            Set<String> answered,
            AtomicInteger refused,
            AtomicInteger unlogged)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                serving.post(
                        "/v1/loops/" + (refusing ? "refusing" : "answering") + "/rank",
                        "{\"eventId\":\"%s\",\"context\":{\"dense\":[0.4,-0.3]}}".formatted(id));
        if (refusing && response.statusCode() == 503) {
            assertThat(RunningServing.json(response).get("eventId").asText()).isEqualTo(id);
            refused.incrementAndGet();
            return;
        }
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        boolean logged = RunningServing.json(response).get("logged").asBoolean();
        assertThat(logged || !refusing).isTrue();
        if (logged) {
            answered.add(id);
        } else {
            unlogged.incrementAndGet();
        }
    }

    private static void reward(
            RunningServing serving, String id, Set<String> acknowledged, AtomicInteger refused)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                serving.post(
                        "/v1/loops/refusing/events/" + id + "/reward",
                        "{\"value\":1,\"rewardId\":\"r-" + id + "\"}");
        if (response.statusCode() == 202) {
            acknowledged.add("r-" + id);
        } else {
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(RunningServing.json(response).get("rewardId").asText()).isEqualTo("r-" + id);
            refused.incrementAndGet();
        }
    }
}
