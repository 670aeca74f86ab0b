package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A headless Chromium with its own profile, controlled by the DevTools protocol. */
final class Chromium implements AutoCloseable {

    /** If this variable is set, a missing browser fails tests instead of skipping them. */
    private static final String REQUIRED = "COUNTERFLOW_REQUIRE_BROWSER";

    private static final Duration MAX_START = Duration.ofSeconds(60);

    private final Process process;
    private final int port;
    private final HttpClient client = HttpClient.newHttpClient();

    private Chromium(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a browser. Without one the test is skipped, or fails if a browser is required.
     *
     * @param directory where its profile is kept
     */
    static Chromium start(Path directory) throws IOException, InterruptedException {
        Optional<Path> program = program();
        if (System.getenv(REQUIRED) != null) {
            assertThat(program).as("a browser: install the package chromium").isPresent();
        }
        assumeTrue(
                program.isPresent(),
                "no browser: install the package chromium to run the dashboard's tests");
        Path profile = directory.resolve("profile");
        List<String> command = new ArrayList<>(List.of(program.orElseThrow().toString()));
        command.addAll(
                List.of(
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-quic",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank"));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("chromium.log").toFile())
                        .start();
        return new Chromium(process, port(process, profile.resolve("DevToolsActivePort")));
    }

    private static Optional<Path> program() {
        for (String directory : System.getenv("PATH").split(File.pathSeparator, -1)) {
            for (String name : List.of("chromium", "chromium-browser", "google-chrome")) {
                Path program = Path.of(directory, name);
                if (Files.isExecutable(program)) {
                    return Optional.of(program);
                }
            }
        }
        return Optional.empty();
    }

    private static int port(Process process, Path file) throws IOException, InterruptedException {
        long end = System.nanoTime() + MAX_START.toNanos();
        while (true) {
            if (Files.exists(file)) {
                List<String> lines = Files.readAllLines(file);
                if (lines.size() >= 2) {
                    return Integer.parseInt(lines.get(0));
                }
            }
            assertThat(process.isAlive()).as("the browser runs").isTrue();
            assertThat(System.nanoTime()).as("the browser starts").isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** A new tab. */
    BrowserPage open() throws IOException, InterruptedException {
        HttpResponse<String> opened =
                client.send(
                        HttpRequest.newBuilder(
                                        URI.create(
                                                "http://127.0.0.1:"
                                                        + port
                                                        + "/json/new?about:blank"))
                                .PUT(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        JsonNode tab = new ObjectMapper().readTree(opened.body());
        return BrowserPage.connect(client, URI.create(tab.get("webSocketDebuggerUrl").asText()));
    }

    @Override
    public void close() {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly); // they still write to the profile
    }
}
