package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.e2e.shared.Program;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.auth.TokenFile;
import java.io.File;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that are generated from the API description, with default options, call a server. Their
 * description lacks a setting, as that of a server before an upgrade.
 */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class GeneratedClientsIT {

    private static final String TOKEN = "a-token-of-this-test";
    private static final String PROGRAMS = "src/test/resources/io/counterflow/e2e/serving";
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    /** Values that differ from the defaults, one for each type of setting. */
    private static final String NAMED =
            """
            {"bits":8,"actions":["a",{"id":"b","features":{"topic":"sport","new":true}}],
             "interactions":["user:topic"],"actionIds":false,"normBound":2.5,"seed":5000000000,
             "attributionWindow":"1h30m","rewardAggregation":"max","rolloutMode":"gated",
             "guardrailMargin":0.01,"automaticRollback":false,"explorationFloor":0.2}
            """;

    private static final String VECTORS =
            """
            {"actions":["a","b","c"],"features":2,"lambda":1e-9,"snapshotInterval":"45s",
             "startingPolicy":{"loop":"old","version":7,"model":"dense","actions":3,"features":2,
              "weights":[[0.5,-1.5],[0,0],[1,1]],"biases":[0,0.25,0]}}
            """;

    @TempDir private static Path directory;

    private static RunningServing serving;
    private static Path document;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        Path tokens =
                Files.writeString(
                        directory.resolve("tokens"),
                        "all rank,reward,read,admin sha256:" + TokenFile.hash(TOKEN));
        serving = RunningServing.start(kafka, "serving.tokens-file: " + tokens);
        String served = serving.get("/openapi.yaml").body();
        String older = served.replaceFirst("(?m)^ +attributionWindow: .*\\R", "");
        assertThat(older.lines()).hasSize((int) served.lines().count() - 1);
        document = Files.writeString(directory.resolve("openapi.yaml"), older);
    }

    @AfterAll
    static void stop() {
        serving.close();
    }

    private static ObjectNode send(HttpRequest.Builder request, int status) throws Exception {
        HttpResponse<String> response =
                serving.send(request.header("authorization", "Bearer " + TOKEN).build());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return (ObjectNode) RunningServing.json(response);
    }

    private static void create(String loop, String spec) throws Exception {
        send(
                serving.request("/v1/loops/" + loop).PUT(HttpRequest.BodyPublishers.ofString(spec)),
                201);
    }

    /** The spec without its version and time. */
    private static ObjectNode spec(String loop) throws Exception {
        ObjectNode detail = send(serving.request("/v1/loops/" + loop).GET(), 200);
        return ((ObjectNode) detail.get("spec")).without(List.of("version", "time"));
    }

    private static Path generate(String generator) throws IOException, InterruptedException {
        Path client = directory.resolve(generator);
        Program.Result result =
                new Program(JAVA)
                        .run(
                                "-XX:TieredStopAtLevel=1",
                                "-jar",
                                "target/openapi-generator/openapi-generator-cli.jar",
                                "generate",
                                "-i",
                                document.toString(),
                                "-g",
                                generator,
                                "-o",
                                client.toString());
        assertThat(result.exitCode()).as(result.output()).isZero();
        return client;
    }

    @FunctionalInterface
    private interface Client {
        Program.Result call() throws Exception;
    }

    /** Runs a client's program and checks what it has changed and logged. */
    private static void check(String name, Client client) throws Exception {
        create(name + "-named", NAMED);
        create(name + "-vectors", VECTORS);
        ObjectNode named = spec(name + "-named").put("explorationFloor", 0.25);
        ObjectNode vectors = spec(name + "-vectors").put("explorationFloor", 0.25);

        Program.Result result = client.call();

        assertThat(result.exitCode()).as(result.output()).isZero();
        assertThat(result.output().lines())
                .as("what the server says of a spec that was sent back, and of a change")
                .containsExactly("unchanged", "immediate", "unchanged", "immediate");
        assertThat(spec(name + "-named")).isEqualTo(named);
        assertThat(spec(name + "-vectors")).isEqualTo(vectors);
        assertThat(serving.impressions())
                .extracting(ImpressionRecord::getEventId)
                .contains(name + "-1", name + "-2");
        assertThat(serving.rewards())
                .filteredOn(it -> it.getEventId().equals(name + "-1"))
                .extracting(RewardRecord::getRewardId)
                .containsExactly(name + "-click");
        assertThat(serving.records(Topic.REWARDS, ActivationRecord.class))
                .extracting(ActivationRecord::getEventId)
                .contains(name + "-1");
    }

    @Test
    void theJavaClientSendsBackWhatItGot() throws Exception {
        Path client = generate("java");
        String libraries = "target/generated-client-lib/*";
        Path classes = directory.resolve("classes");
        List<String> compile =
                new ArrayList<>(
                        List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp", jars()));
        try (Stream<Path> files = Files.walk(client.resolve("src/main/java"))) {
            files.filter(it -> it.toString().endsWith(".java"))
                    .forEach(it -> compile.add(it.toString()));
        }
        compile.add(PROGRAMS + "/GeneratedClientProgram.java");
        assertThat(
                        ToolProvider.getSystemJavaCompiler()
                                .run(null, null, null, compile.toArray(String[]::new)))
                .isZero();
        check(
                "java",
                () ->
                        new Program(JAVA)
                                .run(
                                        "-XX:TieredStopAtLevel=1",
                                        "-cp",
                                        classes + File.pathSeparator + libraries,
                                        "GeneratedClientProgram",
                                        serving.uri("").toString(),
                                        TOKEN));
    }

    /** The compiler does not expand * in a class path that it is given by a program. */
    private static String jars() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target/generated-client-lib"))) {
            return String.join(File.pathSeparator, files.map(Path::toString).toList());
        }
    }

    @Test
    void theTypeScriptClientSendsBackWhatItGot() throws Exception {
        Program node = NodePrograms.node();
        Path client = generate("typescript-fetch");
        Path program = client.resolve("program.ts");
        Files.copy(Path.of(PROGRAMS, "generated-client-program.ts"), program);
        Program.Result compiled =
                node.run(
                        NodePrograms.typeScript().toString(),
                        "--strict",
                        "--target",
                        "es2022",
                        "--module",
                        "commonjs",
                        program.toString());
        assertThat(compiled.exitCode()).as(compiled.output()).isZero();
        check(
                "typescript",
                () ->
                        node.run(
                                client.resolve("program.js").toString(),
                                serving.uri("").toString(),
                                TOKEN));
    }
}
