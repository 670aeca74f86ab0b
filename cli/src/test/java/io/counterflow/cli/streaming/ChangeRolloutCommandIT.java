package io.counterflow.cli.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command with a server that records requests. */
final class ChangeRolloutCommandIT {

    @TempDir private Path directory;

    private final OfflineCommands commands = new OfflineCommands();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private HttpServer server;
    private volatile int status = 202;
    private volatile String detail = "";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        bodies.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
        requests.add(
                "%s %s %s"
                        .formatted(
                                exchange.getRequestMethod(),
                                exchange.getRequestURI(),
                                exchange.getRequestHeaders().getFirst("authorization")));
        byte[] body =
                "{\"detail\":\"%s\",\"instance\":\"request 1\"}"
                        .formatted(detail)
                        .getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private JsonNode body() throws IOException {
        assertThat(bodies).hasSize(1);
        return new ObjectMapper().readTree(bodies.get(0));
    }

    private Path snapshot() throws IOException {
        Path file = directory.resolve("first.snapshot");
        SnapshotFile.write(
                file,
                PolicySnapshot.of(
                        "default",
                        1,
                        new DenseModel(new float[][] {{1.5f}, {-2}}, new float[2]),
                        Optional.empty()));
        return file;
    }

    @Test
    void aSnapshotIsRegisteredWithItsWeights() throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "secret\n");
        JsonNode result =
                OfflineCommands.json(
                        "rollout",
                        "register",
                        "--loop",
                        "front-page",
                        "--policy",
                        snapshot(),
                        "--reason",
                        "trained on last month",
                        "--url",
                        url(),
                        "--token-file",
                        token);
        assertThat(requests).containsExactly("POST /v1/loops/front-page/rollout Bearer secret");
        JsonNode body = body();
        assertThat(body.get("action").asText()).isEqualTo("register");
        assertThat(body.get("reason").asText()).isEqualTo("trained on last month");
        assertThat(body.at("/snapshot/weights").toString()).isEqualTo("[[1.5],[-2.0]]");
        assertThat(result.get("loop").asText()).isEqualTo("front-page");
        assertThat(result.get("action").asText()).isEqualTo("register");
        assertThat(result.get("commandId")).isEqualTo(body.get("commandId"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    promote                       | {"action":"promote"
                    promote --version 3           | {"action":"promote","version":3
                    canary --share 0.1            | {"action":"canary","share":0.1
                    rollback --version 3          | {"action":"rollback","version":3
                    withdraw --version 3          | {"action":"withdraw","version":3
                    register --greedy-of 3        | {"action":"register","greedyOf":3
                    register --constant-action a  | {"action":"register","constantAction":"a"
                    pause                         | {"action":"pause"
                    resume                        | {"action":"resume"
                    """)
    void everyActionIsSent(String arguments, String start) {
        String all = "rollout " + arguments + " --loop home --reason why --url " + url();
        assertThat(commands.run((Object[]) all.split(" ", -1)))
                .as(commands.err())
                .isEqualTo(ExitCode.DONE);
        assertThat(bodies.get(0)).startsWith(start + ",\"reason\":\"why\",\"commandId\":\"");
        assertThat(commands.out())
                .contains("recorded for home as command ", url() + "/v1/loops/home/policies");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    stop                            | ACTION must be one of promote, canary, rollback, register
                    register                        | register needs one policy: add --policy FILE, --greedy-of N or --constant-action ID
                    register --greedy-of 3 --constant-action a | register needs one policy
                    register --greedy-of -3         | greedyOf must be at least 0, got -3
                    promote --greedy-of 3           | must be given with register only
                    pause --policy x.snapshot       | --policy, --greedy-of and --constant-action must be given with register only
                    register --policy no.snapshot   | no.snapshot
                    canary                          | canary needs a share
                    canary --share 2                | share must be in (0, 1), got 2.0
                    promote --share 0.5             | --share must be given with canary only
                    withdraw                        | withdraw needs a registered version
                    pause --version 3               | --version must not be given with pause
                    promote --url nowhere           | --url
                    """)
    void wrongArgumentsAreRefusedBeforeAnythingIsSent(String arguments, String message) {
        String all = "rollout --url " + url() + " --loop home --reason why " + arguments;
        if (arguments.contains("--url")) {
            all = "rollout --loop home --reason why " + arguments;
        }
        assertThat(commands.run((Object[]) all.split(" ", -1))).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains(message);
        assertThat(bodies).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    400 | snapshot must have the loop's shape | snapshot must have the loop's shape (request 1)
                    401 | a bearer token must be sent         | a bearer token must be sent; add --token-file FILE
                    403 | the token must have the scope admin | the token must have the scope admin
                    404 | there is no loop                    | there is no loop
                    413 | the body must be at most 10 bytes   | set serving.max-body-size
                    """)
    void aRefusalOfTheServerIsShown(int code, String problem, String message) {
        status = code;
        detail = problem;
        assertThat(
                        commands.run(
                                "rollout",
                                "pause",
                                "--loop",
                                "home",
                                "--reason",
                                "why",
                                "--url",
                                url()))
                .isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err())
                .contains("the server refused the command: ", message)
                .doesNotContain("Exception");
    }

    @Test
    void aServerThatCannotBeReachedIsNamed() {
        server.stop(0);
        assertThat(
                        commands.run(
                                "rollout",
                                "pause",
                                "--loop",
                                "home",
                                "--reason",
                                "why",
                                "--url",
                                url()))
                .isEqualTo(ExitCode.FAILED);
        assertThat(commands.err())
                .contains(
                        "cannot connect to " + url() + "; check --url and that serving is running");
    }
}
