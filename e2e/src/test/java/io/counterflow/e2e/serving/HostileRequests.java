package io.counterflow.e2e.serving;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/** Draws requests that break rules of HTTP or of the API, or that go to its limits. */
final class HostileRequests {

    private static final String JSON = "Content-Type: application/json\r\n";
    private static final String LOCAL = "Host: localhost\r\n";

    private static final List<String> TARGETS =
            List.of(
                    "/",
                    "*",
                    "//",
                    "/v1/loops",
                    "/v1/loops/",
                    "/v1/loops/%2e%2e/%2e%2e/etc/passwd",
                    "/v1/loops/../../etc/passwd",
                    "/../",
                    "/%",
                    "/v1/loops/%zz",
                    "/v1/loops/%ff",
                    "/v1/loops/%00",
                    "/v1/loops/a%2fb",
                    "/v1/loops/a%2Frank/rank",
                    "/v1/loops/%E2%82",
                    "http://evil.example/v1/loops",
                    "http://localhost/v1/loops",
                    "evil.example:443",
                    "/v1/loops?" + "a=b&".repeat(300),
                    "/v1/loops?%zz=%",
                    "/v1/loops?a=%ff",
                    "/" + "a/".repeat(500),
                    "/v1/loops/" + "n".repeat(500),
                    "/v1/loops/h-dense/stats?limit=1e400",
                    "/v1/loops/h-dense/policies/99999999999999999999",
                    "/v1/loops/h-dense/policies/-1",
                    "/v1/loops/h-dense/policies/0x1",
                    "/v1/loops/h-hashed/pipeline",
                    "/openapi.yaml",
                    "/v1/loops/h-dense/events/%F0%9F%98%80",
                    "/v1/loops/h-dense/events/" + "e".repeat(600),
                    "/personalizer/v1.0/rank",
                    "/personalizer/v1.0/events//reward",
                    "/v1/loops/;jsessionid=1");
    private static final List<String> METHODS =
            List.of(
                    "GET",
                    "HEAD",
                    "POST",
                    "PUT",
                    "DELETE",
                    "PATCH",
                    "OPTIONS",
                    "TRACE",
                    "get",
                    "BREW",
                    "M-SEARCH");
    private static final List<String> HEADERS =
            List.of(
                    "traceparent: 00-zz-1-01",
                    "traceparent: 00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-01",
                    "traceparent: " + "0".repeat(2_000),
                    "Origin: http://evil.example",
                    "Origin: null",
                    "Origin: %zz",
                    "If-Match: \"",
                    "If-Match: *",
                    "If-Match: W/\"x\", \"y",
                    "If-None-Match: *",
                    "If-None-Match: " + "\"a\",".repeat(500),
                    "x-request-id: a\tb",
                    "x-request-id: " + "i".repeat(3_000),
                    "Authorization: Bearer",
                    "Authorization: Bearer \u00ff",
                    "Authorization: Basic Og==",
                    "Ocp-Apim-Subscription-Key: ",
                    "Content-Type: text/plain",
                    "Content-Encoding: gzip",
                    "Accept: */*;q=1e400",
                    "Cookie: " + "a=b; ".repeat(800),
                    "Range: bytes=0-,-1",
                    "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
                    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
                    "X-Forwarded-For: 1.2.3.4",
                    "X-HTTP-Method-Override: DELETE",
                    "Keep-Alive: timeout=-1",
                    "a: b\r\n".repeat(200) + "a: b",
                    "Expect: 200-maybe",
                    "Te: trailers",
                    "Trailer: content-length");
    private static final List<String> FRAMES =
            List.of(
                    "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x",
                    "Content-Length: 2, 2\r\n\r\n{}",
                    "Content-Length: -1\r\n\r\n{}",
                    "Content-Length: +2\r\n\r\n{}",
                    "Content-Length: 2 \r\n\r\n{}",
                    "Content-Length: 99999999999999999999\r\n\r\n{}",
                    "Content-Length: 0x2\r\n\r\n{}",
                    "Content-Length: 700000000\r\n\r\n{}",
                    "Content-Length: 9\r\n\r\n{}",
                    "Content-Length:\r\n\r\n{}",
                    "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\nGET /x HTTP/1.1\r\n\r\n",
                    "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG",
                    "Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                    "Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                    "Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
                    "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n{}",
                    "Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n",
                    "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n2;"
                            + "x".repeat(9_000)
                            + "\r\n{}\r\n0\r\n\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 3\r\n\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
                            + "a: b\r\n".repeat(3_000)
                            + "\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n" + "1\r\n \r\n".repeat(3_000) + "0\r\n\r\n",
                    "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n{",
                    "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
                    "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n",
                    "Connection: close\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n",
                    "X: " + "y".repeat(9_000) + "\r\n\r\n",
                    "X\r\n\r\n",
                    ": y\r\n\r\n",
                    "X: a\r\n b\r\n\r\n",
                    "X: \u0000\r\n\r\n",
                    "X: y\n\n",
                    "Host: a\r\nHost: b\r\n\r\n",
                    "Content-Length: 2\r\n");
    private static final List<String> STARTS =
            List.of(
                    "GET /v1/loops HTTP/0.9\r\n\r\n",
                    "GET /v1/loops HTTP/1.0\r\n\r\n",
                    "GET /v1/loops HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
                    "GET /v1/loops HTTP/9.9\r\nHost: localhost\r\n\r\n",
                    "GET /v1/loops HTTP/2\r\n\r\n",
                    "GET /v1/loops\r\n\r\n",
                    "\r\n\r\n\r\n",
                    " \r\n",
                    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000",
                    "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
                    "GET  /v1/loops  HTTP/1.1\r\n\r\n",
                    "GET /v1/loops HTTP/1.1\r\n\r\n",
                    "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    "\u0000\u0001\u0002",
                    "GET /" + "a".repeat(5_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    "G".repeat(20_000),
                    "GET /v1/loops HTTP/1.1\r\nHost: localhost",
                    "POST",
                    "GET /v1/loops HTTP/1.1\rHost: localhost\r\r",
                    "GET /\u00ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    "GET\t/\tHTTP/1.1\r\n\r\n");

    private final Random random;
    private final HostileBodies bodies;

    HostileRequests(long seed) {
        this.random = new Random(seed);
        this.bodies = new HostileBodies(random);
    }

    private <T> T any(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private static byte[] latin(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] request(String line, String headers, byte[] body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length + 200);
        bytes.writeBytes(
                latin(
                        "%s HTTP/1.1\r\n%s%sContent-Length: %d\r\n\r\n"
                                .formatted(line, LOCAL, headers, body.length)));
        bytes.writeBytes(body);
        return bytes.toByteArray();
    }

    /** A request with one end, after which the connection stays open. */
    byte[] framed() {
        int kind = random.nextInt(100);
        if (kind < 35) {
            return post(
                    "/v1/loops/"
                            + any(List.of("h-dense", "h-hashed", "h-mixed", "h-none"))
                            + "/rank",
                    bodies.rank());
        } else if (kind < 42) {
            return post("/personalizer/v1.0/rank", bodies.personalizer());
        } else if (kind < 52) {
            String path =
                    any(List.of("/v1/loops/h-dense", "/v1/loops/h-none", "/personalizer/v1.0"));
            return post(path + "/events/h-" + random.nextInt(99) + "/reward", bodies.reward());
        } else if (kind < 60) {
            return post("/v1/loops/h-hashed/rollout", bodies.rollout());
        } else if (kind < 66) {
            return request(
                    "PUT /v1/loops/h-new" + random.nextInt(3), JSON, bodies.bytes(bodies.spec()));
        } else if (kind < 84) {
            return request(
                    any(METHODS) + " " + any(TARGETS),
                    random.nextBoolean() ? JSON : "",
                    new byte[0]);
        }
        byte[] body = latin(random.nextBoolean() ? "{\"context\":{\"dense\":[1,1]}}" : "");
        String line =
                body.length > 0
                        ? "POST /v1/loops/h-dense/rank"
                        : any(List.of("GET", "HEAD", "OPTIONS", "PATCH")) + " /v1/loops/h-dense";
        return request(line, any(HEADERS) + "\r\n" + JSON, body);
    }

    private byte[] post(String path, String body) {
        return request("POST " + path, JSON, bodies.bytes(body));
    }

    /** Bytes after which the connection cannot be used any more. */
    byte[] broken() {
        int kind = random.nextInt(100);
        String rank = "POST /v1/loops/h-dense/rank HTTP/1.1\r\n" + JSON + LOCAL;
        if (kind < 60) {
            return latin(rank + any(FRAMES));
        } else if (kind < 85) {
            return latin(any(STARTS));
        } else if (kind < 95) { // cut off anywhere
            byte[] whole = framed();
            return java.util.Arrays.copyOf(whole, random.nextInt(whole.length));
        } else if (kind < 97) {
            return latin("GET /v1/loops/h-dense/stream HTTP/1.1\r\n" + LOCAL + "\r\n");
        }
        byte[] noise = new byte[random.nextInt(2_000)];
        random.nextBytes(noise);
        return noise;
    }

    /** A valid decision or reward. */
    byte[] harmless() {
        String id = "g-" + random.nextInt(100_000);
        return random.nextInt(3) > 0
                ? request(
                        "POST /v1/loops/h-dense/rank",
                        JSON,
                        latin("{\"eventId\":\"" + id + "\",\"context\":{\"dense\":[1,1]}}"))
                : request(
                        "POST /v1/loops/h-dense/events/" + id + "/reward",
                        JSON,
                        latin("{\"value\":1}"));
    }
}
