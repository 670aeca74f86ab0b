package io.counterflow.e2e.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.e2e.serving.RunningServing;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RetractionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two serving processes are replaced one after the other while callers use both. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class RollingUpgradeIT {

    private static final int CALLERS = 8;

    /** What a client does by default is two attempts; a proxy tries its other server first. */
    private static final int MAX_ATTEMPTS = 4;

    private static final String SPEC = SampleTraffic.SPECS.getOrDefault("articles", "");

    @TempDir private Path directory;

    /** The fields of an answer that the log must agree with. */
    private record Answer(int action, double propensity, long policyVersion) {}

    private final AtomicReferenceArray<URI> servers = new AtomicReferenceArray<>(2);
    private final AtomicInteger turn = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final Set<String> rewarded = ConcurrentHashMap.newKeySet();
    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(2))
                    .build();
    private volatile boolean stopping;

    @Test
    void noRequestFailsAndNothingIsLost(SharedKafka kafka, EmbeddedFlink flink) throws Exception {
        try (StoredDeployment deployment =
                new StoredDeployment(
                        flink,
                        kafka.bootstrapServers(),
                        directory,
                        """
                        kafka.topic-prefix: %s
                        job.name: %s
                        kafka.event-partitions: 2
                        kafka.partitions: 2
                        checkpoint.interval: 300ms
                        watermarks.max-out-of-orderness: 200ms
                        """
                                .formatted(kafka.prefix(), kafka.prefix()))) {
            deployment.startJob();
            List<RunningServing> running = new ArrayList<>();
            ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
            try {
                for (int i = 0; i < servers.length(); i++) {
                    running.add(deployment.serve());
                    servers.set(i, running.get(i).uri("/"));
                }
                assertThat(running.get(0).put("/v1/loops/articles", SPEC).statusCode())
                        .isEqualTo(201);
                RunningServing.await(
                        "the loop", () -> status(running.get(1), "/v1/loops/articles") == 200);
                List<Future<?>> callers = new ArrayList<>();
                for (int i = 0; i < CALLERS; i++) {
                    int caller = i;
                    callers.add(
                            threads.submit(
                                    () -> {
                                        call(caller);
                                        return null;
                                    }));
                }
                for (int i = 0; i < servers.length(); i++) {
                    awaitMore(callers, 300);
                    running.get(i).close(); // as after SIGTERM
                    awaitMore(callers, 100);
                    running.set(i, deployment.serve("serving.impressions.timeout: 3s"));
                    servers.set(i, running.get(i).uri("/"));
                }
                awaitMore(callers, 300);
                stopping = true;
                for (Future<?> caller : callers) {
                    caller.get();
                }
                assertThat(repeated.get()).as("requests that met a stopped server").isPositive();
                assertLogged(running.get(0));
                deployment.await(
                        "all examples",
                        () ->
                                deployment
                                        .journal()
                                        .rewards()
                                        .keySet()
                                        .containsAll(answers.keySet()));
            } finally {
                stopping = true;
                threads.shutdownNow();
                running.forEach(RunningServing::close);
            }
            Map<String, Double> learned = deployment.journal().rewards();
            assertThat(learned.keySet()).isEqualTo(answers.keySet());
            assertThat(rewarded).allMatch(it -> learned.getOrDefault(it, 0.0) == 1.0);
        }
    }

    private static int status(RunningServing serving, String path) {
        try {
            return serving.get(path).statusCode();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private void awaitMore(List<Future<?>> callers, int decisions) throws Exception {
        int goal = answers.size() + decisions;
        RunningServing.await(
                decisions + " decisions",
                () -> answers.size() >= goal || callers.stream().anyMatch(Future::isDone));
        for (Future<?> caller : callers) {
            if (caller.isDone()) {
                caller.get(); // throws the reason
            }
        }
    }

    /** Asks for decisions and rewards each. */
    private void call(int caller) throws Exception {
        for (int i = 0; !stopping; i++) {
            String id = "articles-%d-%04d".formatted(caller, i);
            JsonNode answer =
                    StoredRelease.JSON.readTree(
                            send(
                                    "v1/loops/articles/rank",
                                    SampleTraffic.question("articles", id).toString(),
                                    200));
            answers.put(
                    id,
                    new Answer(
                            answer.get("action").asInt(),
                            answer.get("propensity").asDouble(),
                            answer.get("policyVersion").asLong()));
            send(
                    "v1/loops/articles/events/" + id + "/reward",
                    "{\"value\":1,\"rewardId\":\"r-1\"}",
                    202);
            rewarded.add(id);
        }
    }

    /** Sends a request to one server after the other, with the same ids, until one answers. */
    private String send(String path, String body, int expected) throws Exception {
        String last = "";
        int first = turn.getAndIncrement();
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            URI server = servers.get((first + attempt) % servers.length());
            try {
                HttpResponse<String> response =
                        http.send(
                                HttpRequest.newBuilder(server.resolve(path))
                                        .timeout(Duration.ofSeconds(20))
                                        .header("content-type", "application/json")
                                        .POST(HttpRequest.BodyPublishers.ofString(body))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                if (response.statusCode() == expected) {
                    return response.body();
                }
                last = response.statusCode() + " " + response.body();
                assertThat(response.statusCode()).as(last).isIn(429, 503);
            } catch (IOException e) {
                last = e.toString();
            }
            repeated.incrementAndGet();
        }
        throw new AssertionError(
                "%s failed %d times, the last time with %s".formatted(path, MAX_ATTEMPTS, last));
    }

    /** The log has what callers were told: each answer with its propensity, and each reward. */
    private void assertLogged(RunningServing serving) {
        record Logged(String eventId, Instant time) {}
        Set<Logged> retracted = new HashSet<>();
        for (RetractionRecord it : serving.records(Topic.IMPRESSIONS, RetractionRecord.class)) {
            retracted.add(new Logged(it.getEventId(), it.getDecisionTime()));
        }
        Set<String> logged = new HashSet<>();
        for (ImpressionRecord it : serving.records(Topic.IMPRESSIONS, ImpressionRecord.class)) {
            if (retracted.contains(new Logged(it.getEventId(), it.getTime()))) {
                continue;
            }
            logged.add(it.getEventId());
            assertThat(answers)
                    .containsEntry(
                            it.getEventId(),
                            new Answer(
                                    it.getAction(),
                                    Objects.requireNonNull(it.getPropensity()),
                                    it.getPolicyVersion()));
        }
        assertThat(logged).isEqualTo(answers.keySet());
        Map<String, Integer> rewards = new HashMap<>();
        for (RewardRecord it : serving.records(Topic.REWARDS, RewardRecord.class)) {
            rewards.merge(it.getEventId(), 1, Integer::sum);
        }
        assertThat(rewards.keySet()).containsAll(rewarded);
    }
}
