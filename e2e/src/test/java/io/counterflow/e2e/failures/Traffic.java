package io.counterflow.e2e.failures;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.e2e.failures.Ledger.Answer;
import io.counterflow.e2e.failures.Ledger.Decision;
import io.counterflow.e2e.failures.Ledger.Reward;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Users who come at a steady rate, half of them to each serving process. A request that fails is
 * repeated at the other process, with the same ids. Everything that is answered goes to the ledger.
 */
final class Traffic implements AutoCloseable {

    /** How long a caller goes on asking. Longer than any outage. */
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    /** Longer than serving takes to answer on a busy machine: an answer must not be missed. */
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The loops: one of each way in which rewards are joined. */
    private enum Loop {
        CLICKS(
                """
                {"bits":10,"rolloutMode":"gated","attributionWindow":"5s",
                 "snapshotExamples":100,"candidateExamples":200}
                """),
        SUMS(
                """
                {"bits":10,"rolloutMode":"immediate","attributionWindow":"8s",
                 "rewardAggregation":"sum","snapshotExamples":100}
                """),
        DEFERRED(
                """
                {"bits":10,"rolloutMode":"immediate","attributionWindow":"6s",
                 "snapshotExamples":100}
                """),
        VECTORS(
                """
                {"actions":["a","b","c"],"features":4,"rolloutMode":"immediate",
                 "attributionWindow":"4s","snapshotExamples":100,"learner":"lpr"}
                """);

        private final String spec;

        Loop(String spec) {
            this.spec = spec;
        }

        String loop() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final List<URI> servers;
    private final Ledger ledger;
    private final long seed;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(Duration.ofSeconds(5))
                    .build();
    private final ScheduledExecutorService clock = Executors.newScheduledThreadPool(2);
    private final AtomicLong started = new AtomicLong();
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong gaveUp = new AtomicLong();
    private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();
    private final List<AtomicLong> lastAnswerNs;
    private @Nullable ScheduledFuture<?> visits;

    Traffic(Deployment deployment, Ledger ledger, long seed) {
        this.servers = List.of(deployment.servingAddress(0), deployment.servingAddress(1));
        this.ledger = ledger;
        this.seed = seed;
        this.lastAnswerNs = List.of(new AtomicLong(Long.MIN_VALUE), new AtomicLong(Long.MIN_VALUE));
    }

    /** Creates the loops. */
    void createLoops() throws IOException, InterruptedException {
        for (Loop loop : Loop.values()) {
            HttpResponse<String> response =
                    client.send(
                            HttpRequest.newBuilder(
                                            servers.get(0).resolve("/v1/loops/" + loop.loop()))
                                    .header("content-type", "application/json")
                                    .PUT(HttpRequest.BodyPublishers.ofString(loop.spec))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() / 100 != 2) {
                throw new IllegalStateException(response.body());
            }
        }
    }

    /** Whether a serving process has loaded all policies. */
    boolean isReady(int server) throws InterruptedException {
        try {
            return client.send(
                                    HttpRequest.newBuilder(servers.get(server).resolve("/v1/loops"))
                                            .timeout(TIMEOUT)
                                            .build(),
                                    HttpResponse.BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false; // it does not listen yet
        }
    }

    void start(int decisionsPerSecond) {
        visits =
                clock.scheduleAtFixedRate(
                        this::visit, 0, 1_000_000 / decisionsPerSecond, TimeUnit.MICROSECONDS);
    }

    /** One visit: a decision, an activation if it is deferred, and rewards. */
    private void visit() {
        long number = started.getAndIncrement();
        Loop loop = Loop.values()[(int) (number % Loop.values().length)];
        Random random = new Random(seed * 1_000_003 + number);
        Decision decision =
                ledger.newDecision(loop.loop(), loop.loop() + "-" + number, loop == Loop.DEFERRED);
        int server = (int) (number / Loop.values().length % servers.size());
        String body = rankBody(loop, decision, random);
        open.incrementAndGet();
        new Request(
                        "/v1/loops/" + decision.loop() + "/rank",
                        body,
                        server,
                        decision::asked,
                        response -> decided(decision, response, server, random))
                .send();
    }

    private static String rankBody(Loop loop, Decision decision, Random random) {
        String country = random.nextBoolean() ? "de" : "fr";
        if (loop == Loop.VECTORS) {
            return """
            {"eventId":"%s","context":{"dense":[1,%d,%d,%s]}}
            """
                    .formatted(
                            decision.eventId(),
                            random.nextInt(2),
                            random.nextInt(2),
                            random.nextFloat());
        }
        return """
        {"eventId":"%s","deferActivation":%b,
         "context":{"features":{"user":{"country":"%s","age":%s}}},
         "actions":[{"id":"news"},{"id":"sport"},{"id":"music","features":{"loud":true}}]}
        """
                .formatted(decision.eventId(), decision.deferred(), country, random.nextFloat());
    }

    private void decided(
            Decision decision, HttpResponse<String> response, int server, Random random) {
        JsonNode json = parse(response.body());
        decision.answered(
                new Answer(
                        json.get("action").asInt(),
                        json.get("propensity").asDouble(),
                        json.get("policyVersion").asLong()));
        String event = "/v1/loops/" + decision.loop() + "/events/" + decision.eventId();
        if (decision.deferred() && random.nextInt(4) > 0) {
            later(
                    random,
                    new Request(
                            event + "/activate",
                            "{}",
                            1 - server,
                            request -> {},
                            activated -> decision.activated()));
        }
        int rewards = random.nextInt(8) == 0 ? 2 : random.nextInt(3) == 0 ? 1 : 0;
        for (int i = 0; i < rewards; i++) {
            Reward reward = new Reward(decision.eventId() + "-r" + i, i == 0 ? 0.5 : 0.25);
            // Everything is sent twice now and then, as careful clients do.
            int copies = random.nextInt(10) == 0 ? 2 : 1;
            for (int copy = 0; copy < copies; copy++) {
                later(
                        random,
                        new Request(
                                event + "/reward",
                                "{\"value\":%s,\"rewardId\":\"%s\"}"
                                        .formatted(reward.value(), reward.rewardId()),
                                random.nextInt(2),
                                request -> {},
                                acknowledged -> decision.rewarded(reward)));
            }
        }
    }

    private void later(Random random, Request request) {
        open.incrementAndGet();
        var unused = clock.schedule(request::send, random.nextInt(2_000), TimeUnit.MILLISECONDS);
    }

    /** A request that is repeated until it succeeds. */
    private final class Request {

        private final String path;
        private final String body;
        private final Consumer<String> asked;
        private final Consumer<HttpResponse<String>> success;
        private final long giveUpNs = System.nanoTime() + PATIENCE.toNanos();
        private int server;

        Request(
                String path,
                String body,
                int server,
                Consumer<String> asked,
                Consumer<HttpResponse<String>> success) {
            this.path = path;
            this.body = body;
            this.server = server;
            this.asked = asked;
            this.success = success;
        }

        void send() {
            int asking = server;
            long sentNs = System.nanoTime();
            Instant sent = Instant.now();
            var unused =
                    client.sendAsync(
                                    HttpRequest.newBuilder(servers.get(asking).resolve(path))
                                            .timeout(TIMEOUT)
                                            .header("content-type", "application/json")
                                            .POST(HttpRequest.BodyPublishers.ofString(body))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .whenComplete(
                                    (response, failure) -> {
                                        asked.accept(
                                                "%s to %s, at %s: %s"
                                                        .formatted(
                                                                sent,
                                                                servers.get(asking),
                                                                Instant.now(),
                                                                response == null
                                                                        ? failure
                                                                        : response.statusCode()));
                                        try {
                                            completed(response, asking, sentNs);
                                        } catch (RuntimeException e) {
                                            wrong.compareAndSet(null, path + ": " + e);
                                            open.decrementAndGet();
                                        }
                                    });
        }

        private void completed(
                @Nullable HttpResponse<String> response, int answering, long sentNs) {
            if (response != null && response.statusCode() / 100 == 2) {
                if (path.endsWith("/rank")) {
                    lastAnswerNs.get(answering).accumulateAndGet(sentNs, Math::max);
                }
                success.accept(response);
                open.decrementAndGet();
                return;
            }
            int status = response == null ? 0 : response.statusCode();
            if (response != null && status != 503 && status != 429 && status != 404) {
                wrong.compareAndSet(null, path + ": " + status + " " + response.body());
            }
            if (System.nanoTime() - giveUpNs > 0) {
                gaveUp.incrementAndGet();
                open.decrementAndGet();
                return;
            }
            server = 1 - server;
            var unused = clock.schedule(this::send, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static JsonNode parse(String body) {
        try {
            return JSON.readTree(body);
        } catch (IOException e) {
            throw new IllegalStateException(body, e);
        }
    }

    /** Whether a serving process has answered a request for a decision that was sent since then. */
    boolean hasAnswered(int server, long sinceNs) {
        return lastAnswerNs.get(server).get() - sinceNs >= 0
                && lastAnswerNs.get(server).get() != Long.MIN_VALUE;
    }

    /** An answer that must not be, such as a status 500; null if there was none. */
    @Nullable String wrongAnswer() {
        return wrong.get();
    }

    /** Requests that never succeeded. */
    long gaveUp() {
        return gaveUp.get();
    }

    /** Stops new visits. Open requests go on. */
    void stopVisits() {
        if (visits != null) {
            visits.cancel(false);
        }
    }

    /** Number of requests that have not succeeded yet. */
    long open() {
        return open.get();
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
