package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A tab of the browser: its page, its requests and its errors. */
final class BrowserPage implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration MAX_ANSWER = Duration.ofSeconds(30);
    private static final Duration LOOK_EVERY = Duration.ofMillis(100);

    private final WebSocket socket;
    private final AtomicInteger lastId;
    private final Map<Integer, CompletableFuture<JsonNode>> waiting;
    private final List<String> errors;
    private final List<String> requests;

    private BrowserPage(WebSocket socket, Inbox inbox) {
        this.socket = socket;
        this.lastId = new AtomicInteger();
        this.waiting = inbox.waiting;
        this.errors = inbox.errors;
        this.requests = inbox.requests;
    }

    static BrowserPage connect(HttpClient client, URI address) {
        Inbox inbox = new Inbox();
        BrowserPage page =
                new BrowserPage(
                        client.newWebSocketBuilder().buildAsync(address, inbox).join(), inbox);
        for (String domain : List.of("Page", "Runtime", "Network", "Log")) {
            page.call(domain + ".enable", Map.of());
        }
        return page;
    }

    private JsonNode call(String method, Map<String, Object> parameters) {
        int id = lastId.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        waiting.put(id, answer);
        ObjectNode message = JSON.createObjectNode();
        message.put("id", id).put("method", method).set("params", JSON.valueToTree(parameters));
        socket.sendText(message.toString(), true).join();
        JsonNode told = answer.orTimeout(MAX_ANSWER.toMillis(), TimeUnit.MILLISECONDS).join();
        assertThat(told.get("error")).as(method).isNull();
        return told.get("result");
    }

    void go(String url) {
        call("Page.navigate", Map.of("url", url));
    }

    /** Evaluates an expression, and waits for promises. */
    JsonNode evaluate(String expression) {
        JsonNode result =
                call(
                        "Runtime.evaluate",
                        Map.of(
                                "expression", expression,
                                "returnByValue", true,
                                "awaitPromise", true));
        assertThat(result.get("exceptionDetails")).as(expression).isNull();
        return result.get("result").path("value");
    }

    String text(String selector) {
        return evaluate("document.querySelector(%s)?.textContent ?? ''".formatted(quoted(selector)))
                .asText();
    }

    int count(String selector) {
        return evaluate("document.querySelectorAll(%s).length".formatted(quoted(selector))).asInt();
    }

    void click(String selector) {
        assertThat(
                        evaluate(
                                        "(() => { const it = document.querySelector(%s); it?.click(); return Boolean(it); })()"
                                                .formatted(quoted(selector)))
                                .asBoolean())
                .as("there is " + selector)
                .isTrue();
    }

    void fill(String selector, String value) {
        evaluate(
                "document.querySelector(%s).value = %s".formatted(quoted(selector), quoted(value)));
    }

    /** Waits until an expression is true. */
    void await(String what, String expression, Duration longest) {
        long end = System.nanoTime() + longest.toNanos();
        while (!evaluate("Boolean(%s)".formatted(expression)).asBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError(
                        "waited %s for: %s. The page shows: %s"
                                .formatted(
                                        longest,
                                        what,
                                        evaluate("document.body.innerText").asText()));
            }
            try {
                TimeUnit.MILLISECONDS.sleep(LOOK_EVERY.toMillis());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    void size(int width, int height, boolean phone) {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width", width,
                        "height", height,
                        "deviceScaleFactor", phone ? 2 : 1,
                        "mobile", phone));
    }

    void colours(String scheme) {
        call(
                "Emulation.setEmulatedMedia",
                Map.of(
                        "features",
                        List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Takes a screenshot of the whole page. */
    void screenshot(Path file) {
        byte[] png =
                Base64.getDecoder()
                        .decode(
                                call(
                                                "Page.captureScreenshot",
                                                Map.of(
                                                        "format",
                                                        "png",
                                                        "captureBeyondViewport",
                                                        true))
                                        .get("data")
                                        .asText());
        try {
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.write(file, png);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Errors of the console, of scripts and of the network. */
    List<String> errors() {
        return List.copyOf(errors);
    }

    /** The addresses of all requests. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    static String quoted(String text) {
        try {
            return JSON.writeValueAsString(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Closes the tab and its connections. */
    @Override
    public void close() {
        call("Page.close", Map.of());
        socket.abort();
    }

    /** A message of the browser. */
    private static final class Inbox implements WebSocket.Listener {

        private final Map<Integer, CompletableFuture<JsonNode>> waiting = new ConcurrentHashMap<>();
        private final List<String> errors = new CopyOnWriteArrayList<>();
        private final List<String> requests = new CopyOnWriteArrayList<>();
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            text.append(part);
            if (last) {
                take(text.toString());
                text.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
        }

        private void take(String message) {
            JsonNode json;
            try {
                json = JSON.readTree(message);
            } catch (JsonProcessingException e) {
                errors.add("unreadable: " + message);
                return;
            }
            CompletableFuture<JsonNode> answered = waiting.remove(json.path("id").asInt());
            if (answered != null) {
                answered.complete(json);
            }
            JsonNode parameters = json.path("params");
            switch (json.path("method").asText()) {
                case "Network.requestWillBeSent" ->
                        requests.add(parameters.at("/request/url").asText());
                case "Runtime.exceptionThrown" ->
                        errors.add(parameters.get("exceptionDetails").toString());
                case "Runtime.consoleAPICalled" -> {
                    if (List.of("error", "warning", "assert")
                            .contains(parameters.get("type").asText())) {
                        errors.add(parameters.get("args").toString());
                    }
                }
                case "Log.entryAdded" -> {
                    if (List.of("error", "warning")
                            .contains(parameters.at("/entry/level").asText())) {
                        errors.add(parameters.get("entry").toString());
                    }
                }
                default -> {} // not needed here
            }
        }
    }
}
