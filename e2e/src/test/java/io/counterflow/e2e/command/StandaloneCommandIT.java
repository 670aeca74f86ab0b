package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.ExitCode;
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
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Broker, job and serving in one process, started with the launcher of the build. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class StandaloneCommandIT {

    private static final Path LAUNCHER =
            Path.of("").toAbsolutePath().resolveSibling("bin").resolve("counterflow");

    private static final Pattern PAGE = Pattern.compile("page and API: +(http://\\S+)");
    private static final Pattern BROKER = Pattern.compile("Kafka: +127.0.0.1:(\\d+)");
    private static final Pattern CURL = Pattern.compile("(?m)^ +(curl .*)$");

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final List<Process> started = new ArrayList<>();
    private final Shell shell;
    private final Path directory;

    StandaloneCommandIT(@TempDir Path temp) {
        this.directory = temp.resolve("data");
        this.shell =
                new Shell(temp)
                        .with("JAVA_HOME", System.getProperty("java.home"))
                        .with("COUNTERFLOW_SKIP_BUILD", "1")
                        .with("COUNTERFLOW_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
    }

    @AfterEach
    void kill() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor(); // it uses the temporary directory
        }
    }

    private Shell.Started start(String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of(LAUNCHER.toString(), "standalone"));
        command.addAll(List.of("--port", "0", "--directory", directory.toString()));
        command.addAll(List.of(more));
        Shell.Started process = shell.start(command.toArray(new String[0]));
        started.add(process.process());
        return process;
    }

    /** What a process prints when it is ready. */
    private static String ready(Shell.Started process) throws IOException {
        await(
                () -> read(process.out()).endsWith("\n") || !process.process().isAlive(),
                () -> read(process.err()));
        String out = Files.readString(process.out());
        assertThat(out).as(read(process.err())).isNotEmpty();
        return out;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private interface Text {
        String get();
    }

    private static void await(BooleanSupplier condition, Text state) {
        long endNs = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(state.get()).isLessThan(endNs);
            try {
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError(e);
            }
        }
    }

    private static JsonNode call(String method, String url, String body) throws Exception {
        HttpResponse<String> answer =
                CLIENT.send(
                        HttpRequest.newBuilder(URI.create(url))
                                .header("content-type", "application/json")
                                .method(method, HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isBetween(200, 299);
        return answer.body().isEmpty() ? JSON.nullNode() : JSON.readTree(answer.body());
    }

    /** Decides and rewards one action until a version after this one decides; returns it. */
    private static long learnBeyond(long version, String page) throws Exception {
        String loop = page + "/v1/loops/shop/";
        long endNs = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        long decides = version;
        while (decides <= version) {
            assertThat(System.nanoTime()).as("version " + decides).isLessThan(endNs);
            JsonNode decision =
                    call(
                            "POST",
                            loop + "rank",
                            "{\"context\":{\"features\":{}},\"actions\":[{\"id\":\"a\"},{\"id\":\"b\"}]}");
            decides = decision.get("policyVersion").asLong();
            if (decision.get("actionId").asText().equals("b")) {
                String event = decision.get("eventId").asText();
                call("POST", loop + "events/" + event + "/reward", "{\"value\":1}");
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return decides;
    }

    @Test
    void aLoopIsLearnedAndGoesOnAfterTheProcessWasKilled() throws Exception {
        Path config =
                Files.writeString(
                        directory.resolveSibling("c.yaml"),
                        "checkpoint.interval: 500ms\nserving.max-streams: 7\n");
        Shell.Started first = start("--config", config.toString());
        Matcher page = PAGE.matcher(ready(first));
        assertThat(page.find()).as(read(first.out())).isTrue();
        assertPrintedCommandsWork(read(first.out()));
        String spec =
                "{\"bits\":10,\"attributionWindow\":\"1s\",\"rolloutMode\":\"immediate\",\"explorationFloor\":0.3}";
        call("PUT", page.group(1) + "/v1/loops/shop", spec);
        long learned = learnBeyond(0, page.group(1));

        Shell.Started second = start();
        Shell.Ended refused = second.await();
        assertThat(refused.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(refused.err())
                .contains("another standalone runs in " + directory)
                .contains("another --directory");

        first.process().destroyForcibly().waitFor();
        Shell.Started again = start("--json", "--config", config.toString());
        JsonNode addresses = JSON.readTree(ready(again));
        String newPage = addresses.get("url").asText();
        assertThat(read(again.err())).startsWith("continuing in " + directory);
        assertThat(call("GET", newPage + "/v1/loops/shop", "").toString())
                .contains("\"attributionWindow\":\"1s\"");
        JsonNode policies = call("GET", newPage + "/v1/loops/shop/policies", "").get("policies");
        long kept = 0;
        for (JsonNode policy : policies) {
            kept = Math.max(kept, policy.get("version").asLong());
        }
        assertThat(kept).as("newest version").isGreaterThanOrEqualTo(learned);
        learnBeyond(kept, newPage);

        again.process().toHandle().destroy(); // as Ctrl-C
        Shell.Ended ended = again.await();
        assertThat(ended.exitCode()).as(ended.err()).isZero();
        assertThat(ended.err()).contains("stopping", "stopped with savepoint");
    }

    private void assertPrintedCommandsWork(String printed) throws Exception {
        assertThat(BROKER.matcher(printed).find()).as(printed).isTrue();
        List<String> answers = new ArrayList<>();
        Matcher curl = CURL.matcher(printed);
        while (curl.find()) {
            answers.add(shell.run("bash", "-c", curl.group(1) + " -sS").out());
        }
        assertThat(answers).hasSize(3);
        assertThat(answers.get(0)).contains("\"change\":\"created\"");
        assertThat(answers.get(1)).contains("\"logged\":true");
        assertThat(answers.get(2)).contains("\"rewardId\"");
    }

    @Test
    void aBrokerOfOnesOwnAndFilesOfOthersAreRefused() throws Exception {
        Path config =
                Files.writeString(
                        directory.resolveSibling("c.yaml"),
                        "kafka.bootstrap-servers: localhost:9092\n");
        Shell.Ended own = start("--config", config.toString()).await();
        assertThat(own.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(own.err())
                .contains(config + ": kafka.bootstrap-servers must not be given")
                .doesNotContain("\tat ");
        Path theirs = Files.createDirectories(directory.resolveSibling("other"));
        Path thesis = Files.writeString(theirs.resolve("thesis.tex"), "x");
        Shell.Ended other =
                shell.run(LAUNCHER.toString(), "standalone", "--directory", theirs.toString());
        assertThat(other.exitCode()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(other.err()).contains("has other files in it");
        assertThat(theirs.toFile().list()).containsExactly(thesis.getFileName().toString());
    }

    @Test
    void interruptedWhileStartingItEndsQuietlyAsKilled() throws Exception {
        Shell.Started process = start();
        await(() -> read(process.err()).contains("Kafka started"), () -> read(process.err()));
        process.process().destroy();
        Shell.Ended ended = process.await();
        assertThat(ended.exitCode()).isEqualTo(128 + 15);
        assertThat(ended.out()).isEmpty();
        assertThat(ended.err()).doesNotContain("failed", "savepoint", "Exception", "\tat ");
    }
}
