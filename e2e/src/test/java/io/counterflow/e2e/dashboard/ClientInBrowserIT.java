package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.serving.ServingProcess;
import io.counterflow.serving.config.ServingConfig;
import io.counterflow.serving.health.ServingLog;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The client for JavaScript in a browser. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ClientInBrowserIT {

    private static final Duration SOON = Duration.ofSeconds(60);

    /** Creates a loop, decides, sends a reward and deletes the loop. Its value is what happened. */
    private static final String PROGRAM =
            """
            (async () => {
              %s
              const client = new CounterflowClient('%s', { retries: { attempts: 1 } });
              try {
                const { etag } = await client.putLoop('page', { bits: 8 }, { ifNoneMatch: '*' });
                const decision = await client.rank('page', {
                  context: { features: { device: 'phone' } },
                  actions: [{ id: 'a' }],
                });
                await client.reward('page', decision.eventId, 1);
                await client.deleteLoop('page', { ifMatch: etag });
                return decision.actionId;
              } catch (error) {
                return `${error.name} ${error.type ?? ''}`.trim();
              }
            })()
            """;

    @TempDir private static Path directory;
    private static ServingProcess serving;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        serving =
                ServingProcess.start(
                        ServingConfig.parse(
                                """
                                %s
                                kafka.event-partitions: 1
                                kafka.partitions: 1
                                serving.port: 0
                                serving.management.port: 0
                                """
                                        .formatted(kafka.settings()),
                                Map.of()),
                        new ServingLog(
                                new PrintStream(
                                        OutputStream.nullOutputStream(),
                                        true,
                                        StandardCharsets.UTF_8),
                                Clock.systemUTC()),
                        Clock.systemUTC());
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    /** The modules as one script, because the policy of the page allows no modules of others. */
    private static String client() throws IOException {
        StringBuilder script = new StringBuilder();
        for (String module : List.of("errors.js", "requests.js", "index.js")) {
            script.append(
                    Files.readString(Path.of("..", "client", "js", module))
                            .replaceAll("(?m)^(import .*|export \\* .*);$|^export ", ""));
        }
        return script.toString();
    }

    private static String run(BrowserPage page, String server) throws IOException {
        return page.evaluate(PROGRAM.formatted(client(), server)).asText();
    }

    @Test
    void pagesOfTheSameOriginDecideAndPagesOfOthersAreRefused() throws Exception {
        String server = "http://127.0.0.1:" + serving.port();
        try (Chromium chromium = Chromium.start(directory);
                BrowserPage page = chromium.open()) {
            page.go(server);
            page.await("the page", "document.querySelector('#connection-text')", SOON);
            page.await(
                    "that the server is ready",
                    "(fetch('/v1/loops').then(it => { window.isReady = it.ok }), window.isReady)",
                    SOON);
            assertThat(run(page, server)).isEqualTo("a");

            page.go(server.replace("127.0.0.1", "localhost"));
            page.await(
                    "the other page",
                    "location.hostname === 'localhost' && document.readyState === 'complete'",
                    SOON);
            assertThat(run(page, server)).isEqualTo("ConnectionFailedError");
        }
    }
}
