package io.counterflow.client;

import io.counterflow.client.rank.RandomIds;
import io.counterflow.client.rank.RankRequest;
import io.counterflow.client.rank.SlotsRequest;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Calls a server for decisions, and sends rewards, activations and rollout commands. Thread-safe:
 * one client is enough for a program.
 *
 * <p>Calls that fail because of the connection, or with 429 or 503, are repeated with the same id,
 * as {@link Retries} says. A decision is repeated once, because somebody waits for it, and not
 * after a timeout. Changes of loops are sent once. If the server refuses a request, the call fails
 * with a {@link ProblemResponseException}.
 */
public final class CounterflowClient {

    private static final int ACCEPTED = 202;
    private static final int OK = 200;
    private static final int CREATED = 201;
    private static final int NO_CONTENT = 204;

    private final ClientSettings settings;
    private final HttpClient http;
    private final String base;

    public CounterflowClient(ClientSettings settings) {
        this.settings = settings;
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(settings.connectTimeout());
        settings.trust().ifPresent(builder::sslContext);
        this.http = builder.build();
        this.base = settings.server().toString().replaceAll("/+$", "") + "/v1/loops/";
    }

    /** Requests a decision and waits for it. */
    public RankAnswer rank(String loop, RankRequest request)
            throws IOException, InterruptedException {
        return await(rankAsync(loop, request));
    }

    public CompletableFuture<RankAnswer> rankAsync(String loop, RankRequest request) {
        return decide(post(path(loop) + "/rank", ClientJson.of(withEventId(request))))
                .thenApply(body -> read(body, ClientJson::answer));
    }

    /** Requests a decision for each slot of a page, and waits for them. */
    public SlotsAnswer rankSlots(String loop, SlotsRequest request)
            throws IOException, InterruptedException {
        return await(rankSlotsAsync(loop, request));
    }

    public CompletableFuture<SlotsAnswer> rankSlotsAsync(String loop, SlotsRequest request) {
        SlotsRequest page = new SlotsRequest(withEventId(request.shared()), request.slots());
        return decide(post(path(loop) + "/rank-slots", ClientJson.of(page)))
                .thenApply(body -> read(body, ClientJson::slotsAnswer));
    }

    /** Attempts that have the same event id count once. */
    private static RankRequest withEventId(RankRequest request) {
        return request.eventId().isPresent() ? request : request.withEventId(RandomIds.next());
    }

    private CompletableFuture<String> decide(HttpRequest request) {
        return repeat(new Call(request, OK, settings.rankRetries(), false), 1);
    }

    /** Reads a reply. */
    @FunctionalInterface
    private interface Reading<T> {
        T read(String body) throws IOException;
    }

    private static <T> T read(String body, Reading<T> reading) {
        try {
            return reading.read(body);
        } catch (IOException e) {
            throw new CompletionException(e);
        }
    }

    /** Sends a reward and waits until Kafka has acknowledged it. */
    public void reward(String loop, String eventId, Reward reward)
            throws IOException, InterruptedException {
        await(rewardAsync(loop, eventId, reward));
    }

    /** Sends a reward; completes when Kafka has acknowledged it. */
    public CompletableFuture<Void> rewardAsync(String loop, String eventId, Reward reward) {
        return persist(post(event(loop, eventId) + "/reward", ClientJson.of(reward)));
    }

    /** Activates a deferred event and waits until Kafka has acknowledged it. */
    public void activate(String loop, String eventId) throws IOException, InterruptedException {
        await(activateAsync(loop, eventId));
    }

    /** Activates a deferred event; completes when Kafka has acknowledged it. */
    public CompletableFuture<Void> activateAsync(String loop, String eventId) {
        return persist(post(event(loop, eventId) + "/activate", ""));
    }

    /** Creates a loop, or updates its spec. The same spec changes nothing. */
    public void putLoop(LoopSpec spec) throws IOException, InterruptedException {
        String json = new LoopSpecJson(JsonLimits.defaults()).write(spec);
        HttpRequest request =
                request(path(spec.loop())).PUT(HttpRequest.BodyPublishers.ofString(json)).build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != OK && response.statusCode() != CREATED) {
            throw ClientJson.problem(response);
        }
    }

    /**
     * Deletes a loop with everything that it has learned. A loop that is created under the same
     * name afterwards starts anew, except that it learns from decisions of the deleted loop that
     * still wait for their rewards.
     */
    public void deleteLoop(String loop) throws IOException, InterruptedException {
        HttpResponse<String> response =
                http.send(
                        request(path(loop)).DELETE().build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != NO_CONTENT) {
            throw ClientJson.problem(response);
        }
    }

    /**
     * Sends a rollout command and waits until Kafka has acknowledged it. The job executes or
     * refuses it later.
     *
     * @return the id of the command, which the resulting change of the rollout contains
     */
    public String rollout(String loop, RolloutCommand command)
            throws IOException, InterruptedException {
        String commandId = UUID.randomUUID().toString();
        await(persist(post(path(loop) + "/rollout", ClientJson.of(command, commandId))));
        return commandId;
    }

    private static String event(String loop, String eventId) {
        return path(loop) + "/events/" + path(eventId);
    }

    private static String path(String segment) {
        return URLEncoder.encode(segment, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private HttpRequest post(String path, String body) {
        return request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(base + path))
                        .timeout(settings.requestTimeout())
                        .header("content-type", "application/json");
        settings.token().ifPresent(token -> request.header("authorization", "Bearer " + token));
        return request;
    }

    private CompletableFuture<String> send(HttpRequest request, int expected) {
        return http.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                .thenApply(
                        response -> {
                            if (response.statusCode() != expected) {
                                throw new CompletionException(ClientJson.problem(response));
                            }
                            return response.body();
                        });
    }

    private CompletableFuture<Void> persist(HttpRequest request) {
        return repeat(new Call(request, ACCEPTED, settings.retries(), true), 1)
                .thenAccept(body -> {});
    }

    /** A request, and what is known about repeating it. */
    private record Call(
            HttpRequest request, int expected, Retries retries, boolean repeatTimeouts) {}

    private CompletableFuture<String> repeat(Call call, int attempt) {
        return send(call.request(), call.expected())
                .exceptionallyCompose(
                        failure -> {
                            Throwable cause = causeOf(failure);
                            Optional<Duration> pause =
                                    call.retries()
                                            .pauseAfter(attempt, cause, call.repeatTimeouts());
                            if (pause.isEmpty()) {
                                return CompletableFuture.failedFuture(cause);
                            }
                            return CompletableFuture.runAsync(() -> {}, after(pause.get()))
                                    .thenCompose(rested -> repeat(call, attempt + 1));
                        });
    }

    private static Executor after(Duration pause) {
        return CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static Throwable causeOf(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? failure.getCause()
                : failure;
    }

    private static <T> T await(CompletableFuture<T> future)
            throws IOException, InterruptedException {
        try {
            return future.get();
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
            if (causeOf(cause) instanceof IOException io) {
                throw io;
            }
            throw new IllegalStateException(cause);
        }
    }
}
