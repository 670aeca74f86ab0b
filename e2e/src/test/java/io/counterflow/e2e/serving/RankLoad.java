package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.core.log.Impression;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Users who ask for decisions, each for the next one when it has the last, and keep the answers.
 */
final class RankLoad {

    private static final int USERS = 32;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The fields of a response that the log must agree with. */
    private record Answer(int action, double propensity, long policyVersion) {}

    private final Map<String, Answer> answers = new ConcurrentHashMap<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final ExecutorService threads = Executors.newFixedThreadPool(USERS);
    private final List<Future<?>> users = new ArrayList<>();
    private volatile boolean stopping;

    /** Starts the users. */
    RankLoad(RunningServing serving, String loop, String context) {
        int port = serving.process().port();
        for (int i = 0; i < USERS; i++) {
            users.add(
                    threads.submit(
                            () -> {
                                ask(port, "/v1/loops/" + loop + "/rank", context);
                                return null;
                            }));
        }
    }

    private void ask(int port, String path, String context) throws IOException {
        try (KeptConnection connection = new KeptConnection(port)) {
            while (!stopping) {
                String id = "e-" + asked.incrementAndGet();
                JsonNode answer =
                        JSON.readTree(
                                connection.post(
                                        path,
                                        "{\"eventId\":\"%s\",\"context\":%s}"
                                                .formatted(id, context)));
                answers.put(
                        id,
                        new Answer(
                                answer.get("action").asInt(),
                                answer.get("propensity").asDouble(),
                                answer.get("policyVersion").asLong()));
            }
        }
    }

    /** Waits for more responses. */
    void awaitMore(int decisions) throws InterruptedException, ExecutionException {
        int goal = answers.size() + decisions;
        RunningServing.await(
                decisions + " decisions",
                () -> answers.size() >= goal || users.stream().anyMatch(Future::isDone));
        if (answers.size() < goal) {
            stop(); // throws the reason
        }
    }

    /** Stops the users, and waits for open requests. */
    void stop() throws InterruptedException, ExecutionException {
        stopping = true;
        threads.shutdown();
        for (Future<?> user : users) {
            user.get();
        }
    }

    int answered() {
        return answers.size();
    }

    /** Checks that a logged decision equals the response. */
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
