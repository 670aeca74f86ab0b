package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.e2e.shared.SharedKafka;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Bytes in which a proxy and the server may find different requests. Each has a second request at
 * its end, which must not be answered where RFC 9112 lets a server refuse the first one.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class RequestSmugglingIT {

    private static final String LOOPS = "GET /v1/loops HTTP/1.1\r\n";
    private static final String HOST = "Host: localhost\r\n";

    /** The server repeats the id in its answer. */
    private static final String HIDDEN =
            LOOPS + HOST + "x-request-id: hidden\r\nConnection: close\r\n\r\n";

    private static final String RANK =
            "POST /v1/loops/smuggling/rank HTTP/1.1\r\n"
                    + HOST
                    + "Content-Type: application/json\r\n";
    private static final String CHUNKED = RANK + "Transfer-Encoding: chunked\r\n\r\n";
    private static final String CHUNKS = "\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    private static final String NO_BODY = "\r\nContent-Length: 0\r\n\r\n";
    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3}) ");

    private static RunningServing serving;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        serving = RunningServing.start(kafka, "");
        assertThat(serving.put("/v1/loops/smuggling", "{\"bits\":10}").statusCode()).isEqualTo(201);
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** What the server answers to each text, until it closes the connections. */
    private static List<String> answers(List<String> texts) throws IOException {
        List<PipelinedConnection> connections = new ArrayList<>();
        try {
            for (String text : texts) {
                PipelinedConnection connection = new PipelinedConnection(serving.process().port());
                connections.add(connection);
                connection.send(latin(text));
            }
            List<String> answers = new ArrayList<>();
            for (PipelinedConnection connection : connections) {
                answers.add(connection.start());
            }
            return answers;
        } finally {
            for (PipelinedConnection connection : connections) {
                connection.close();
            }
        }
    }

    private static List<String> statuses(String answers) {
        return STATUS.matcher(answers).results().map(it -> it.group(1)).toList();
    }

    /** Each text gets one answer at most, a refusal, and nothing after it is read. */
    private static void requireRefused(List<String> texts, String... refusals) throws Exception {
        List<String> answers = answers(texts.stream().map(it -> it + HIDDEN).toList());
        for (int i = 0; i < texts.size(); i++) {
            String answer = answers.get(i);
            assertThat(answer).as(texts.get(i)).doesNotContain("x-request-id: hidden");
            assertThat(statuses(answer))
                    .as(texts.get(i))
                    .hasSizeLessThanOrEqualTo(1)
                    .isSubsetOf(refusals);
        }
        requireUp();
    }

    private static void requireUp() throws Exception {
        assertThat(serving.get("/v1/loops").statusCode()).isEqualTo(200);
        assertThat(serving.manage("/livez").statusCode()).isEqualTo(200);
        assertThat(serving.log()).doesNotContain("request-failed");
    }

    /** Otherwise the other tests could not fail. */
    @Test
    void aSecondRequestIsAnsweredAfterAValidOne() throws Exception {
        List<String> valid =
                List.of(
                        LOOPS + HOST + "\r\n",
                        LOOPS + HOST + "X: a\r\n\tTransfer-Encoding: chunked\r\n\r\n", // one header
                        "GET http://localhost/v1/loops HTTP/1.1\r\n" + HOST + "\r\n",
                        LOOPS + HOST + "Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
                        CHUNKED + "2;a=\"b;c\"\r\n{}\r\n00\r\nX: y\r\n\r\n",
                        CHUNKED + "2\r\n{}\r\n0\r\nContent-Length: 99\r\n\r\n",
                        RANK + "Content-Length: 2\r\n\r\n{}");
        List<String> answers = answers(valid.stream().map(it -> it + HIDDEN).toList());
        for (int i = 0; i < valid.size(); i++) {
            assertThat(answers.get(i)).as(valid.get(i)).contains("x-request-id: hidden");
            assertThat(statuses(answers.get(i)))
                    .as(valid.get(i))
                    .hasSize(2)
                    .isSubsetOf("200", "400")
                    .endsWith("200");
        }
    }

    @Test
    void aBodyWithTwoLengthsIsRefused() throws Exception {
        String chunk = Integer.toHexString(HIDDEN.length()) + "\r\n" + HIDDEN + "\r\n0\r\n\r\n";
        requireRefused(
                List.of(
                        RANK + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                        RANK + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                        RANK + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk,
                        RANK + "Content-Length: 0\r\nContent-Length: 2\r\n\r\n",
                        RANK + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
                        RANK + "Content-Length: 2, 2\r\n\r\n{}",
                        RANK + "Content-Length: 0, 2\r\n\r\n",
                        RANK + "Content-Length: -1\r\n\r\n",
                        RANK + "Content-Length: +0\r\n\r\n",
                        RANK + "Content-Length: 0x0\r\n\r\n",
                        RANK + "Content-Length: 0 0\r\n\r\n",
                        RANK + "Content-Length: 18446744073709551616\r\n\r\n",
                        RANK + "Content-Length : 2\r\n\r\n",
                        RANK + "Content-Length\t: 2\r\n\r\n",
                        RANK + "Content-Length: \u000b0\r\n\r\n"),
                "400");
    }

    @Test
    void anotherEncodingThanChunksIsRefused() throws Exception {
        List<String> requests = new ArrayList<>();
        for (String encoding :
                List.of(
                        "xchunked",
                        "chunked, identity",
                        "identity",
                        "identity, chunked",
                        "gzip, chunked",
                        "chunked, chunked",
                        "chunked;q=1",
                        "\"chunked\"",
                        "\u000bchunked",
                        "chunked\u0000",
                        "",
                        "\r\n chunked",
                        "chunked\r\nTransfer-Encoding: identity",
                        "identity\r\nTransfer-Encoding: chunked")) {
            requests.add(RANK + "Transfer-Encoding: " + encoding + NO_BODY);
            requests.add(RANK + "Transfer-Encoding: " + encoding + "\r\n\r\n");
            requests.add(RANK + "Transfer-Encoding: " + encoding + CHUNKS);
        }
        requests.add(RANK + "Transfer-Encoding : chunked" + CHUNKS);
        requests.add(RANK + "Transfer-Encoding\u0000: chunked" + CHUNKS);
        requests.add(RANK + " Transfer-Encoding: chunked\r\n: x" + CHUNKS);
        requests.add(RANK.replace("HTTP/1.1", "HTTP/1.0") + "Transfer-Encoding: chunked" + CHUNKS);
        requireRefused(requests, "400");
    }

    @Test
    void malformedChunksEndTheConnection() throws Exception {
        requireRefused(
                List.of(
                        CHUNKED + "2\n{}\r\n0\r\n\r\n",
                        CHUNKED + "2;\n{}\r\n0\r\n\r\n",
                        CHUNKED + "2;a=\"\n{}\r\n0\r\n\r\n",
                        CHUNKED + "2;a\rb\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "2;" + "x".repeat(5_000) + "\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "2\r\n{}\n0\r\n\r\n",
                        CHUNKED + "2\r\n{}0\r\n\r\n",
                        CHUNKED + "2\r\n{}  \r\n0\r\n\r\n",
                        CHUNKED + "1\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "0x2\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "+2\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "-2\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "2_\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + ";\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "g\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "80000000\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "100000002\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "ffffffffffffffff\r\n{}\r\n0\r\n\r\n",
                        CHUNKED + "2\r\n{}\r\n0\n\n",
                        CHUNKED + "2\r\n{}\r\n0\r\nX: y\n\r\n",
                        CHUNKED + "2\r\n{}\r\n0\r\nX\r\n\r\n"),
                "400");
    }

    @Test
    void linesThatOthersMayReadAsMoreOrFewerAreRefused() throws Exception {
        List<String> requests = new ArrayList<>();
        for (String head :
                List.of(
                        "GET /v1/loops HTTP/1.1\nHost: localhost\n\n",
                        "GET /v1/loops HTTP/1.1\rHost: localhost\r\r",
                        "GET /v1/loops\r\nHost: localhost\r\n\r\n",
                        "GET /v1/loops HTTP/1.1 HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET /v1/loops /x HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET /v1/loops\u0000 HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET /v1/loops\u00e9 HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET /v1/loops\u007f HTTP/1.1\r\n" + HOST + "\r\n",
                        LOOPS + " X: y\r\n" + HOST + "\r\n",
                        LOOPS + HOST + "X: y\nZ: z\r\n\r\n",
                        LOOPS + HOST + "X: y\rZ: z\r\n\r\n",
                        LOOPS + HOST + "X: y\u0000z\r\n\r\n",
                        LOOPS + HOST + "X\u0000: y\r\n\r\n",
                        LOOPS + HOST + "X : y\r\n\r\n",
                        LOOPS + HOST + "X\r\n\r\n",
                        LOOPS + HOST + ": y\r\n\r\n",
                        LOOPS + HOST + "(X): y\r\n\r\n",
                        LOOPS + HOST + "X: y\r\n\n")) {
            requests.add(head);
        }
        requireRefused(requests, "400");
    }

    @Test
    void aRequestNamesItsHostAndItsTokenOnce() throws Exception {
        requireRefused(
                List.of(
                        LOOPS + "\r\n",
                        LOOPS + "Host:\r\n\r\n",
                        LOOPS + HOST + HOST + "\r\n",
                        LOOPS + HOST + "Host: evil.example\r\n\r\n",
                        LOOPS + "Host: evil.example\r\n" + HOST + "\r\n",
                        LOOPS + "Host: localhost, evil.example\r\n\r\n",
                        LOOPS + "Host: localhost evil.example\r\n\r\n",
                        LOOPS + "Host: localhost/evil\r\n\r\n",
                        LOOPS + "Host: localhost@evil.example\r\n\r\n",
                        LOOPS + "Host: localhost:80:80\r\n\r\n",
                        LOOPS + "Host: localhost\r\n .evil.example\r\n\r\n",
                        "GET http://evil.example/v1/loops HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET http://localhost@evil.example/v1/loops HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET http:///v1/loops HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET ftp://localhost/v1/loops HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET v1/loops HTTP/1.1\r\n" + HOST + "\r\n",
                        "GET localhost/v1/loops HTTP/1.1\r\n" + HOST + "\r\n",
                        "CONNECT localhost:80 HTTP/1.1\r\n" + HOST + "\r\n",
                        LOOPS + HOST + "Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n",
                        LOOPS
                                + HOST
                                + "Ocp-Apim-Subscription-Key: a\r\n"
                                + "Ocp-Apim-Subscription-Key: b\r\n\r\n",
                        LOOPS + HOST + "Origin: http://localhost\r\nOrigin: null\r\n\r\n"),
                "400");
    }

    @Test
    void onlyVersionOneOfHttpIsSpoken() throws Exception {
        String preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
        List<String> requests =
                List.of(
                        preface + "\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000",
                        "GET /v1/loops HTTP/2.0\r\n" + HOST + "\r\n",
                        "GET /v1/loops HTTP/1.2\r\n" + HOST + "\r\n",
                        "GET /v1/loops HTTP/0.9\r\n" + HOST + "\r\n",
                        "GET /v1/loops http/1.1\r\n" + HOST + "\r\n");
        requireRefused(requests, "400", "501");
        // Eight bytes would be the body, as in a draft of WebSocket.
        requireRefused(
                List.of(
                        LOOPS
                                + HOST
                                + "Upgrade: WebSocket\r\nConnection: Upgrade\r\n"
                                + "Sec-WebSocket-Key1: 1\r\nSec-WebSocket-Key2: 2\r\n\r\n"),
                "400");
    }

    /** A refusal before the body is read, and a connection that the client wants to close. */
    @Test
    void nothingIsReadAfterAnAnswerThatCloses() throws Exception {
        requireRefused(
                List.of(
                        RANK + "Content-Length: 900000\r\n\r\n",
                        RANK.replace("rank", "nothing") + "Expect: 100-continue" + NO_BODY,
                        RANK.replace("rank", "nothing")
                                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                "404",
                "413");
        Map<String, String> closing =
                Map.of(
                        LOOPS + HOST + "Connection: close\r\n\r\n",
                        "200",
                        "GET /v1/loops HTTP/1.0\r\n\r\n",
                        "403"); // it names no host
        closing.forEach(
                (request, status) -> {
                    try {
                        String answer = answers(List.of(request + HIDDEN)).get(0);
                        assertThat(statuses(answer)).as(request).containsExactly(status);
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }
}
