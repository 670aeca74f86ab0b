package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.embedded.EmbeddedFlink;
import io.counterflow.core.text.DurationText;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.e2e.streaming.JournalLog;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.schemas.topics.TopicReader;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ten times as many callers as requests may be in progress, a broker that stops answering, and a
 * job that is far behind. Each phase takes a few seconds, or {@code -Dcounterflow.overload=60s}.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class OverloadIT {

    private static final int MAX_REQUESTS = 20;
    private static final int CALLERS = 10 * MAX_REQUESTS;
    private static final Duration PHASE =
            DurationText.parse(System.getProperty("counterflow.overload", "3s"));
    private static final Duration MAX_WAIT = PHASE.multipliedBy(4).plusMinutes(1);
    private static final Pattern WAITING =
            Pattern.compile("counterflow_records_waiting\\{topic=\"impressions\"} ([0-9.]+)");
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir private Path directory;

    private final HttpClient http =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(20))
                    .build();
    private final AtomicInteger asked = new AtomicInteger();
    private final Set<String> answered = ConcurrentHashMap.newKeySet();
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
    private volatile boolean stopping;

    @Test
    void theRestIsRefusedAndNothingThatWasAcknowledgedIsLost(EmbeddedFlink flink) throws Exception {
        try (PausedBroker broker = PausedBroker.start(directory)) {
            SharedKafka kafka = new SharedKafka(broker.bootstrapServers(), "overload");
            try (RunningServing serving =
                    RunningServing.start(
                            kafka,
                            """
                            serving.max-requests: %d
                            serving.impressions.timeout: 1s
                            serving.rewards.timeout: 2s
                            """
                                    .formatted(MAX_REQUESTS))) {
                serving.put(
                        "/v1/loops/home",
                        "{\"actions\":[\"a\",\"b\"],\"features\":2,"
                                + "\"attributionWindow\":\"5s\"}");
                List<CompletableFuture<?>> callers = new ArrayList<>();
                for (int i = 0; i < CALLERS; i++) {
                    callers.add(ask(serving));
                }
                awaitPhase("200", "202", "503 overloaded");
                broker.pause();
                awaitPhase("503 overloaded", "503 not-logged");
                double waiting = waiting(serving);
                // Requests, and retractions of those that were refused, each of which waits.
                assertThat(waiting).isLessThan(MAX_REQUESTS * (10.0 + 2.0 * PHASE.toSeconds()));
                broker.resume();
                awaitPhase("200", "202");
                stopping = true;
                CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new)).get();
                assertThat(outcomes.keySet())
                        .containsOnly("200", "202", "503 overloaded", "503 not-logged");
                assertThat(serving.get("/v1/loops/home").statusCode()).isEqualTo(200);
                RunningServing.await(
                        "retractions",
                        () -> serving.metrics().contains("counterflow_retractions_pending 0.0"));
                assertStored(serving);
                assertLearned(kafka, flink);
            }
        }
    }

    /** Lets the callers go on for a phase, and then until they have met these outcomes in it. */
    private void awaitPhase(String... expected) throws InterruptedException {
        Map<String, Long> before = counts();
        awaitThat(
                PHASE,
                () ->
                        List.of(expected).stream()
                                .allMatch(
                                        it ->
                                                counts().getOrDefault(it, 0L)
                                                        > before.getOrDefault(it, 0L)));
    }

    /** Waits for some time, and then for a condition. */
    private void awaitThat(Duration first, BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime() + first.toNanos();
        while (System.nanoTime() < start || !condition.getAsBoolean()) {
            assertThat(System.nanoTime())
                    .as("outcomes until now: %s", counts())
                    .isLessThan(start + MAX_WAIT.toNanos());
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private Map<String, Long> counts() {
        Map<String, Long> counts = new HashMap<>();
        outcomes.forEach((outcome, count) -> counts.put(outcome, count.sum()));
        return counts;
    }

    private static double waiting(RunningServing serving) {
        Matcher found = WAITING.matcher(serving.metrics());
        assertThat(found.find()).isTrue();
        return Double.parseDouble(found.group(1));
    }

    /** One caller: the next request when the last one is answered, also if it was refused. */
    private CompletableFuture<Void> ask(RunningServing serving) {
        if (stopping) {
            return CompletableFuture.completedFuture(null);
        }
        String id = "e-" + asked.incrementAndGet();
        return send(
                        serving,
                        "/v1/loops/home/rank",
                        "{\"eventId\":\"%s\",\"context\":{\"dense\":[0.4,-0.3]}}".formatted(id))
                .thenCompose(
                        status -> {
                            if (!status.equals("200")) {
                                return CompletableFuture.completedFuture("");
                            }
                            answered.add(id);
                            return send(
                                    serving,
                                    "/v1/loops/home/events/" + id + "/reward",
                                    "{\"value\":1,\"rewardId\":\"r\"}");
                        })
                .thenComposeAsync(
                        status -> {
                            if (status.equals("202")) {
                                acknowledged.add(id);
                            }
                            return ask(serving);
                        });
    }

    private CompletableFuture<String> send(RunningServing serving, String path, String body) {
        HttpRequest request =
                serving.request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .thenApply(
                        response -> {
                            String outcome = outcome(response);
                            outcomes.computeIfAbsent(outcome, key -> new LongAdder()).increment();
                            return outcome;
                        });
    }

    private static String outcome(HttpResponse<String> response) {
        if (response.statusCode() < 300) {
            return Integer.toString(response.statusCode());
        }
        assertThat(response.headers().firstValue("retry-after")).hasValue("1");
        try {
            JsonNode problem = JSON.readTree(response.body());
            String type = problem.get("type").asText();
            return response.statusCode() + " " + type.substring(type.lastIndexOf(':') + 1);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void assertStored(RunningServing serving) {
        Map<String, Integer> stored = new HashMap<>();
        for (RewardRecord reward : serving.records(Topic.REWARDS, RewardRecord.class)) {
            stored.merge(reward.getEventId(), 1, Integer::sum);
        }
        assertThat(acknowledged).isNotEmpty();
        assertThat(acknowledged).allMatch(it -> stored.getOrDefault(it, 0) == 1);
    }

    /** The job has not run until now. */
    private void assertLearned(SharedKafka kafka, EmbeddedFlink flink) throws Exception {
        RunningJob job = RunningJob.start(kafka, flink, directory.resolve("storage"));
        try {
            awaitThat(Duration.ZERO, () -> journal(kafka).examples() >= answered.size());
        } finally {
            job.stop();
        }
        Map<String, Double> learned = journal(kafka).rewards();
        assertThat(learned.keySet()).isEqualTo(answered);
        assertThat(acknowledged).allMatch(it -> learned.getOrDefault(it, 0.0) == 1.0);
    }

    private static JournalLog journal(SharedKafka kafka) {
        List<byte[]> values = new ArrayList<>();
        try (TopicReader reader = new TopicReader(kafka.config())) {
            reader.read(kafka.topics().name(Topic.JOURNAL), record -> values.add(record.value()));
        }
        return new JournalLog(values);
    }
}
