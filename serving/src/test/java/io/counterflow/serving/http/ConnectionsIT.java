package io.counterflow.serving.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.serving.ServingFixture;
import io.counterflow.serving.auth.Caller;
import io.counterflow.serving.auth.Scope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
final class ConnectionsIT {

    private static final String RANK = "POST /v1/loops/home/rank HTTP/1.1";
    private static final String LOOPS = "GET /v1/loops HTTP/1.1";
    private static final String JSON = "Content-Type: application/json";
    private static final String BODY = "{\"context\":{\"dense\":[1,1]}}";
    private static final String LENGTH = "Content-Length: " + BODY.length();
    private static final byte[] MEGABYTE = " ".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);

    private static ServingFixture start(String... lines) {
        return ServingFixture.start(String.join("\n", lines));
    }

    private static int get(RawConnection connection) {
        return connection.head(LOOPS).end().status();
    }

    /** Waits until the server has seen that a connection was closed. */
    private static void awaitPlace(ServingFixture serving) {
        for (boolean open = false; !open; ) {
            try (RawConnection connection = new RawConnection(serving.port())) {
                open =
                        connection.trySend(
                                        (LOOPS + "\r\nHost: localhost\r\n\r\n")
                                                .getBytes(StandardCharsets.US_ASCII))
                                && !connection.isClosed();
            }
        }
    }

    @Test
    void aClientCannotOpenMoreConnectionsThanItsShare() {
        try (ServingFixture serving =
                        start(
                                "serving.head-timeout: 1m",
                                "serving.max-connections: 10",
                                "serving.max-connections-per-client: 2");
                RawConnection second = new RawConnection(serving.port())) {
            try (RawConnection first = new RawConnection(serving.port())) {
                assertThat(get(first)).isEqualTo(200);
                assertThat(get(second)).isEqualTo(200);
                try (RawConnection third = new RawConnection(serving.port())) {
                    third.awaitClosed();
                }
                assertThat(get(first)).isEqualTo(200);
            }
            awaitPlace(serving);
        }
    }

    @Test
    void allClientsTogetherCannotOpenMoreConnectionsThanTheLimit() {
        try (ServingFixture serving =
                        start(
                                "serving.head-timeout: 1m",
                                "serving.max-connections: 1",
                                "serving.max-connections-per-client: 5");
                RawConnection first = new RawConnection(serving.port());
                RawConnection second = new RawConnection(serving.port())) {
            second.awaitClosed();
            assertThat(get(first)).isEqualTo(200);
        }
    }

    @Test
    void aHeadThatArrivesByteByByteDoesNotKeepAConnection() {
        try (ServingFixture serving = start("serving.head-timeout: 500ms");
                RawConnection slow = new RawConnection(serving.port());
                RawConnection silent = new RawConnection(serving.port())) {
            slow.head(LOOPS);
            awaitClosedWhileSending(slow);
            silent.awaitClosed();
        }
    }

    @Test
    void theHeadOfALaterRequestHasUntilTheIdleTimeout() {
        try (ServingFixture serving =
                        start("serving.head-timeout: 1m", "serving.idle-timeout: 500ms");
                RawConnection slow = new RawConnection(serving.port())) {
            assertThat(get(slow)).isEqualTo(200);
            slow.head(LOOPS);
            awaitClosedWhileSending(slow);
        }
    }

    @Test
    void aBodyThatArrivesByteByByteDoesNotKeepAConnection() {
        try (ServingFixture serving =
                        start("serving.head-timeout: 1h", "serving.body-timeout: 500ms");
                RawConnection slow = new RawConnection(serving.port())) {
            slow.head(RANK, JSON, "Content-Length: 100000").end();
            awaitClosedWhileSending(slow);
        }
    }

    private static void awaitClosedWhileSending(RawConnection slow) {
        long sent = 0;
        while (!slow.isClosed()) {
            sent += slow.trySend(new byte[] {'x'}) ? 1 : 0;
        }
        assertThat(sent)
                .as("bytes until it was closed, before a head was too large")
                .isBetween(1L, 8_000L);
    }

    @Test
    void aBodyWithoutATokenIsNotRead() {
        try (ServingFixture serving =
                        ServingFixture.start(
                                Map.of("known", new Caller("app", Set.of(Scope.RANK))));
                RawConnection stranger = new RawConnection(serving.port())) {
            stranger.head(RANK, JSON, "Content-Length: 700000000").end();
            assertThat(stranger.answer())
                    .startsWith("HTTP/1.1 401 ")
                    .containsIgnoringCase("connection: close");
            awaitRefused(stranger);
        }
    }

    @Test
    void theRestOfABodyAboveTheLimitIsNotRead() {
        try (ServingFixture serving = start()) {
            for (String length :
                    List.of("Content-Length: 700000000", "Transfer-Encoding: chunked")) {
                try (RawConnection large = new RawConnection(serving.port())) {
                    large.head(RANK, JSON, length).end();
                    if (length.endsWith("chunked")) {
                        large.send("fffffff\r\n" + " ".repeat(900 << 10));
                    }
                    assertThat(large.answer())
                            .startsWith("HTTP/1.1 413 ")
                            .containsIgnoringCase("connection: close");
                    awaitRefused(large);
                }
            }
        }
    }

    /** The buffers of both sockets take a few megabytes, but not the body. */
    private static void awaitRefused(RawConnection connection) {
        int sent = 0;
        while (connection.trySend(MEGABYTE)) {
            assertThat(++sent).as("megabytes that the server takes").isLessThan(50);
        }
    }

    @Test
    void aSmallRefusedBodyLeavesTheConnectionOpen() {
        try (ServingFixture serving = start();
                RawConnection connection = new RawConnection(serving.port())) {
            connection.head("POST /v1/nothing HTTP/1.1", JSON, LENGTH).end().send(BODY);
            assertThat(connection.status()).isEqualTo(404);
            assertThat(get(connection)).isEqualTo(200);
        }
    }

    @Test
    void aClientMaySendItsBodyOnlyIfItsRequestIsNotRefused() {
        try (ServingFixture serving = start();
                RawConnection connection = new RawConnection(serving.port())) {
            connection.head(RANK, JSON, LENGTH, "Expect: 100-continue").end();
            assertThat(connection.status()).isEqualTo(100);
            assertThat(connection.send(BODY).status()).isEqualTo(200);
            connection
                    .head("POST /v1/nothing HTTP/1.1", JSON, LENGTH, "Expect: 100-continue")
                    .end();
            assertThat(connection.answer())
                    .startsWith("HTTP/1.1 404 ")
                    .containsIgnoringCase("connection: close");
            connection.awaitClosed();
        }
    }

    @Test
    void largeBodiesCannotFillTheMemory() {
        try (ServingFixture serving = start("serving.large-bodies-size: 300kb");
                RawConnection first = new RawConnection(serving.port());
                RawConnection second = new RawConnection(serving.port())) {
            String large = BODY + " ".repeat((200 << 10) - BODY.length());
            String length = "Content-Length: " + large.length();
            first.head(RANK, JSON, length, "Expect: 100-continue").end();
            assertThat(first.status()).isEqualTo(100);
            second.head(RANK, JSON, length, "Expect: 100-continue").end();
            assertThat(second.status()).isEqualTo(503);
            assertThat(serving.post("/v1/loops/home/rank", BODY).statusCode()).isEqualTo(200);
            assertThat(first.send(large).status()).isEqualTo(200);
            assertThat(serving.post("/v1/loops/home/rank", large).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aClientGetsAQuarterOfTheMemoryForLargeBodies() {
        Caller one = new Caller("one", Set.of(Scope.RANK));
        Caller other = new Caller("other", Set.of(Scope.RANK));
        String size = "serving.large-bodies-size: 600kb";
        try (ServingFixture serving =
                        ServingFixture.start(size, Map.of("one", one, "other", other));
                RawConnection first = new RawConnection(serving.port());
                RawConnection second = new RawConnection(serving.port());
                RawConnection third = new RawConnection(serving.port())) {
            String large = BODY + " ".repeat((100 << 10) - BODY.length());
            String length = "Content-Length: " + large.length();
            String own = "Authorization: Bearer one";
            first.head(RANK, JSON, length, own, "Expect: 100-continue").end();
            assertThat(first.status()).isEqualTo(100);
            second.head(RANK, JSON, length, own, "Expect: 100-continue").end();
            assertThat(second.status()).isEqualTo(503);
            third.head(RANK, JSON, length, "Authorization: Bearer other", "Expect: 100-continue")
                    .end();
            assertThat(third.status()).isEqualTo(100);
            assertThat(first.send(large).status()).isEqualTo(200);
            try (RawConnection next = new RawConnection(serving.port())) {
                next.head(RANK, JSON, length, own, "Expect: 100-continue").end();
                assertThat(next.status()).as("after the answer").isEqualTo(100);
            }
        }
    }

    @Test
    void aPageTakesNoBody() {
        try (ServingFixture serving = start();
                RawConnection connection = new RawConnection(serving.port())) {
            connection.head("GET / HTTP/1.1", JSON, "Content-Length: 2").end().send("{}");
            assertThat(connection.status()).isEqualTo(413);
        }
    }

    @Test
    void aBodyHasOneWayToFindItsEnd() {
        try (ServingFixture serving = start()) {
            for (String encoding :
                    List.of(
                            "xchunked",
                            "gzip, chunked",
                            "identity",
                            "chunked\r\nTransfer-Encoding: chunked")) {
                try (RawConnection connection = new RawConnection(serving.port())) {
                    connection
                            .head(RANK, JSON, "Transfer-Encoding: " + encoding)
                            .send(LENGTH + "\r\n\r\n" + BODY);
                    assertThat(connection.status()).as(encoding).isEqualTo(400);
                    connection.awaitClosed();
                }
            }
        }
    }

    @Test
    void answersThatAreNotReadDoNotPileUp() {
        int requests = 2_000;
        try (ServingFixture serving = start();
                RawConnection reader = new RawConnection(serving.port())) {
            String page = "GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n";
            reader.send(page.repeat(requests));
            double before;
            do {
                before = answered(serving);
                for (int i = 0; i < 50; i++) { // the same event loop has had its turns
                    serving.get("/v1/loops");
                }
            } while (answered(serving) > before);
            assertThat(before).isLessThan(requests / 2.0);
            for (int i = 0; i < requests; i++) {
                assertThat(reader.status()).isEqualTo(200);
            }
        }
    }

    private static double answered(ServingFixture serving) {
        return serving.manage("/metrics")
                .body()
                .lines()
                .filter(it -> it.startsWith("counterflow_http_requests_seconds_count"))
                .filter(it -> it.contains("/openapi.yaml"))
                .mapToDouble(it -> Double.parseDouble(it.substring(it.lastIndexOf(' '))))
                .sum();
    }

    @Test
    void aClientCannotTakeAllStreams() {
        Map<String, Caller> tokens =
                Map.of(
                        "a", new Caller("a", Set.of(Scope.READ)),
                        "b", new Caller("b", Set.of(Scope.READ)));
        try (ServingFixture serving =
                        ServingFixture.start(
                                "serving.max-streams: 3\nserving.max-streams-per-client: 2",
                                tokens);
                RawConnection third = new RawConnection(serving.port());
                RawConnection fourth = new RawConnection(serving.port())) {
            List<RawConnection> open = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                open.add(new RawConnection(serving.port()));
                assertThat(stream(open.get(i), "a")).isEqualTo(200);
            }
            assertThat(stream(third, "a")).isEqualTo(503);
            assertThat(stream(third, "b")).isEqualTo(200);
            assertThat(stream(fourth, "b")).as("three are open").isEqualTo(503);
            open.forEach(RawConnection::close);
            while (stream(fourth, "a") == 503) {
                assertThat(fourth.isClosed()).isFalse();
            }
        }
    }

    private static int stream(RawConnection connection, String token) {
        return connection
                .head("GET /v1/loops/home/stream HTTP/1.1", "Authorization: Bearer " + token)
                .end()
                .status();
    }
}
