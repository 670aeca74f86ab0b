package io.counterflow.cli.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.schemas.Impression;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Users who ask for decisions, each for the next one when it has the last, and keep the answers.
 */
final class RankLoad {

    private static final int USERS = 64;

    /** What was answered, as far as the log must say the same. */
    private record Answer(int action, double propensity, long policyVersion) {}

    private final RunningServing serving;
    private final String loop;
    private final String context;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final List<CompletableFuture<Void>> users = new ArrayList<>();
    private volatile boolean stopping;

    /** Starts. */
    RankLoad(RunningServing serving, String loop, String context) {
        this.serving = serving;
        this.loop = loop;
        this.context = context;
        for (int i = 0; i < USERS; i++) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            users.add(end);
            ask(end);
        }
    }

    private void ask(CompletableFuture<Void> end) {
        if (stopping) {
            end.complete(null);
            return;
        }
        String id = "e-" + asked.incrementAndGet();
        HttpRequest request =
                serving.request("/v1/loops/" + loop + "/rank")
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"eventId\":\"%s\",\"context\":%s}"
                                                .formatted(id, context)))
                        .build();
        var unused =
                serving.client()
                        .sendAsync(request, HttpResponse.BodyHandlers.ofString())
                        .thenAccept(response -> keep(id, response))
                        .whenComplete(
                                (done, failure) -> {
                                    if (failure == null) {
                                        ask(end);
                                    } else {
                                        end.completeExceptionally(failure);
                                    }
                                });
    }

    private void keep(String id, HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        try {
            JsonNode answer = RunningServing.json(response);
            answers.put(
                    id,
                    new Answer(
                            answer.get("action").asInt(),
                            answer.get("propensity").asDouble(),
                            answer.get("policyVersion").asLong()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for some more answers. */
    void awaitMore(int decisions) {
        int goal = answers.size() + decisions;
        RunningServing.await(
                decisions + " decisions",
                () ->
                        answers.size() >= goal
                                || users.stream()
                                        .anyMatch(CompletableFuture::isCompletedExceptionally));
        users.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .forEach(CompletableFuture::join); // says why
    }

    /** Asks no more, and waits for what is on its way. */
    void stop() {
        stopping = true;
        users.forEach(CompletableFuture::join);
    }

    int answered() {
        return answers.size();
    }

    /** A decision on the log is one that was answered, and as it was answered. */
    void requireAnswered(Impression logged) {
        Answer answer = Objects.requireNonNull(answers.get(logged.eventId()), logged.eventId());
        assertThat(answer)
                .isEqualTo(
                        new Answer(
                                logged.choice().action(),
                                logged.choice().propensity().orElseThrow(),
                                logged.policyVersion()));
    }
}
