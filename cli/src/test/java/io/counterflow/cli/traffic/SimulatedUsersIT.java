package io.counterflow.cli.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.counterflow.client.ClientSettings;
import io.counterflow.client.CounterflowClient;
import io.counterflow.client.Retries;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SimulatedUsersIT {

    /** A valid answer, but the page has only six articles. */
    private static final String ANSWER =
            """
            {"eventId": "e", "loop": "front-page", "policyVersion": 1, "action": 99,
             "actionId": "unknown", "propensity": 1.0, "propensityKind": "exact", "logged": true,
             "ranking": []}
            """;

    /** More than there are threads, so each of them visits again after a failure. */
    private static final int VISITS = 12;

    @Test
    void aVisitThatFailsUnexpectedlyCostsOneVisit() throws Exception {
        CountDownLatch visits = new CountDownLatch(VISITS);
        Queue<String> stopped = new ConcurrentLinkedQueue<>();
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(
                "/",
                exchange -> {
                    byte[] answer = ANSWER.getBytes(StandardCharsets.UTF_8);
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, answer.length);
                    exchange.getResponseBody().write(answer);
                    exchange.close();
                    visits.countDown();
                });
        server.start();
        try {
            URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
            AtomicLong numbers = new AtomicLong();
            SimulatedUsers users =
                    new SimulatedUsers(
                            new NewsWorld(1),
                            new CounterflowClient(
                                    ClientSettings.of(url).withRetries(Retries.none())),
                            numbers::incrementAndGet,
                            1,
                            100);
            users.start(stopped::add);
            assertThat(visits.await(30, TimeUnit.SECONDS)).as("visits: %s", stopped).isTrue();
            users.stop();
            assertThat(stopped).isEmpty();
            assertThat(users.counts().failures()).isBetween(VISITS - 1L, users.counts().events());
            assertThat(Thread.getAllStackTraces().keySet())
                    .as("stopped users")
                    .noneMatch(thread -> thread.getName().matches("user-\\d"));
        } finally {
            server.stop(0);
        }
    }
}
