package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.counterflow.e2e.shared.Program;
import io.counterflow.e2e.shared.SharedKafka;
import io.counterflow.schemas.record.ActivationRecord;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.record.RewardMetricRecord;
import io.counterflow.schemas.record.RewardRecord;
import io.counterflow.schemas.topics.Topic;
import io.counterflow.serving.auth.TokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The clients for JavaScript and Python: their own tests, and calls of a real server. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
final class ClientLibrariesIT {

    private static final String TOKEN = "a-token-of-this-test";
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path JAVASCRIPT = ROOT.resolve("client/js");
    private static final Path PYTHON = ROOT.resolve("client/python");
    private static final Path PROGRAMS =
            Path.of("src/test/resources/io/counterflow/e2e/serving").toAbsolutePath();
    private static final Map<String, String> FIND_PYTHON_CLIENT =
            Map.of("PYTHONPATH", PYTHON.toString(), "PYTHONDONTWRITEBYTECODE", "1");

    @TempDir private static Path directory;

    private static RunningServing open;
    private static RunningServing withTokens;

    @BeforeAll
    static void start(SharedKafka kafka) throws Exception {
        Path tokens =
                Files.writeString(
                        directory.resolve("tokens"),
                        "all rank,reward,read,admin sha256:" + TokenFile.hash(TOKEN));
        open = RunningServing.start(kafka, "");
        withTokens = RunningServing.start(kafka, "serving.tokens-file: " + tokens);
        assertThat(open.put("/v1/loops/home", "{\"bits\":18}").statusCode()).isEqualTo(201);
    }

    @AfterAll
    static void stop() {
        open.close();
        withTokens.close();
    }

    @FunctionalInterface
    private interface Call {
        Program.Result run() throws Exception;
    }

    private static String succeed(Program.Result result) {
        assertThat(result.exitCode()).as(result.output()).isZero();
        return result.output();
    }

    private static Program python() {
        return Program.find(
                "python3",
                "COUNTERFLOW_REQUIRE_PYTHON",
                "install Python 3.9 or newer to test the client for Python");
    }

    /** A project with the packed client as its dependency, as users have it. */
    private static Path nodeProject(String name) throws Exception {
        Path project = Files.createDirectory(directory.resolve(name));
        Program npm = NodePrograms.npm();
        succeed(
                npm.run(
                        "pack",
                        "--silent",
                        "--pack-destination",
                        project.toString(),
                        JAVASCRIPT.toString()));
        Files.writeString(project.resolve("package.json"), "{\"type\":\"module\"}");
        String archive;
        try (Stream<Path> files = Files.list(project)) {
            archive = files.map(Path::toString).filter(it -> it.endsWith(".tgz")).findAny().get();
        }
        succeed(
                npm.run(
                        "install",
                        "--offline",
                        "--no-audit",
                        "--no-fund",
                        "--silent",
                        "--prefix",
                        project.toString(),
                        archive));
        return project;
    }

    @Test
    void theTestsOfTheJavaScriptClientPass() throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--test"));
        try (Stream<Path> files = Files.list(JAVASCRIPT.resolve("test"))) {
            files.map(Path::toString).filter(it -> it.endsWith(".test.js")).forEach(arguments::add);
        }
        assertThat(succeed(NodePrograms.node().run(arguments.toArray(String[]::new))))
                .contains("# pass ");
    }

    @Test
    void theTestsOfThePythonClientPass() throws Exception {
        Program.Result result =
                python().run(
                                FIND_PYTHON_CLIENT,
                                "-W",
                                "error",
                                "-m",
                                "unittest",
                                "discover",
                                "-s",
                                PYTHON.toString());
        assertThat(succeed(result)).containsPattern("Ran [1-9][0-9]+ tests");
    }

    @Test
    void thePythonClientIsWrittenForPython39() throws Exception {
        String check =
                """
                import ast, sys
                for file in sys.argv[1:]:
                    ast.parse(open(file).read(), file, feature_version=(3, 9))
                """;
        List<String> arguments = new ArrayList<>(List.of("-c", check));
        try (Stream<Path> files = Files.walk(PYTHON)) {
            files.map(Path::toString).filter(it -> it.endsWith(".py")).forEach(arguments::add);
        }
        assertThat(arguments).hasSizeGreaterThan(8);
        succeed(python().run(arguments.toArray(String[]::new)));
    }

    @Test
    void aTypeScriptProgramCallsAServer() throws Exception {
        Program node = NodePrograms.node();
        Path project = nodeProject("typescript");
        Path program = project.resolve("client-program.ts");
        Files.copy(PROGRAMS.resolve("client-program.ts"), program);
        succeed(
                node.run(
                        NodePrograms.typeScript().toString(),
                        "--strict",
                        "--exactOptionalPropertyTypes",
                        "--target",
                        "es2022",
                        "--lib",
                        "es2022,dom",
                        "--module",
                        "nodenext",
                        program.toString()));
        check(
                "javascript",
                node.run(
                        project.resolve("client-program.js").toString(),
                        withTokens.uri("").toString(),
                        TOKEN));
    }

    @Test
    void aPythonProgramCallsAServer() throws Exception {
        check(
                "python",
                python().run(
                                FIND_PYTHON_CLIENT,
                                "-W",
                                "error",
                                PROGRAMS.resolve("client_program.py").toString(),
                                withTokens.uri("").toString(),
                                TOKEN));
    }

    /** Checks what a program has printed, and what the server has logged. */
    private static void check(String name, Program.Result result) {
        assertThat(succeed(result).replace(name + "-", ""))
                .isEqualTo(
                        """
                        created 1
                        412 precondition-failed false
                        1 true 8 manual
                        immediate explorationFloor true
                        412 precondition-failed false
                        1 home
                        412 precondition-failed false
                        0.5 2
                        0.5 2
                        404 unknown-loop false
                        1 0 0.5 exact true
                        true
                        click
                        page top=page:top side=page:side
                        pause
                        404 unknown-loop false
                        400 bad-request false
                        401 unknown-token false
                        """);
        List<ImpressionRecord> impressions =
                withTokens.impressions().stream()
                        .filter(it -> it.getLoop().equals(name + "-home"))
                        .toList();
        assertThat(impressions)
                .extracting(ImpressionRecord::getEventId)
                .containsExactlyInAnyOrder(
                        name + "-1", name + "-1", name + "-page:top", name + "-page:side");
        List<RewardRecord> rewards =
                withTokens.rewards().stream()
                        .filter(it -> it.getEventId().startsWith(name))
                        .toList();
        assertThat(rewards)
                .extracting(RewardRecord::getEventId, RewardRecord::getValue)
                .containsExactlyInAnyOrder(
                        tuple(name + "-1", 0.5),
                        tuple(name + "-1", 0.0),
                        tuple(name + "-page:top", 1.0));
        assertThat(rewards)
                .extracting(RewardRecord::getMetric)
                .containsOnlyOnce(RewardMetricRecord.GUARDRAIL);
        assertThat(rewards).extracting(RewardRecord::getRewardId).contains(name + "-click");
        assertThat(withTokens.records(Topic.REWARDS, ActivationRecord.class))
                .extracting(ActivationRecord::getEventId)
                .contains(name + "-1");
    }

    @Test
    void theJavaOfTheReadmeRuns() throws Exception {
        List<String> shown = new ArrayList<>();
        long before = rewardedDecisions();
        ClientExample.firstDecision(open.uri(""), shown::add);
        assertThat(shown).hasSize(1).isSubsetOf("show news", "show sport");
        assertThat(rewardedDecisions()).isEqualTo(before + 1);
    }

    @Test
    void theJavaScriptOfTheDocumentsRuns() throws Exception {
        Program node = NodePrograms.node();
        Path project = nodeProject("documents");
        for (Path document : List.of(ROOT.resolve("README.md"), JAVASCRIPT.resolve("README.md"))) {
            Path program = Files.writeString(project.resolve("code.js"), code("js", document));
            checkFirstDecision(() -> node.run(program.toString()));
        }
        String example = "node_modules/counterflow-client/examples/front-page.js";
        checkExample(node.run(project.resolve(example).toString(), open.uri("").toString()));
    }

    @Test
    void thePythonOfTheDocumentsRuns() throws Exception {
        for (Path document : List.of(ROOT.resolve("README.md"), PYTHON.resolve("README.md"))) {
            Path program =
                    Files.writeString(directory.resolve("code.py"), code("python", document));
            checkFirstDecision(() -> python().run(FIND_PYTHON_CLIENT, program.toString()));
        }
        checkExample(
                python().run(
                                FIND_PYTHON_CLIENT,
                                PYTHON.resolve("examples/front_page.py").toString(),
                                open.uri("").toString()));
    }

    /** The code in a document, with the address of this test. */
    private static String code(String language, Path document) throws IOException {
        Matcher blocks =
                Pattern.compile("```" + language + "\\R(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(document));
        StringBuilder code = new StringBuilder();
        while (blocks.find()) {
            code.append(blocks.group(1));
        }
        assertThat(code).contains("http://localhost:8080");
        return code.toString().replace("http://localhost:8080", open.uri("").toString());
    }

    /** Runs a program that decides once and sends a reward. */
    private static void checkFirstDecision(Call program) throws Exception {
        long before = rewardedDecisions();
        assertThat(succeed(program.run())).matches("show (news|sport)\\R");
        assertThat(rewardedDecisions()).isEqualTo(before + 1);
    }

    private static long rewardedDecisions() {
        Set<String> rewarded =
                open.rewards().stream().map(RewardRecord::getEventId).collect(Collectors.toSet());
        return open.impressions().stream()
                .filter(it -> it.getLoop().equals("home") && rewarded.contains(it.getEventId()))
                .count();
    }

    private static void checkExample(Program.Result result) {
        assertThat(succeed(result).lines())
                .hasSize(31)
                .anyMatch(it -> it.matches("version \\d+: sport fan sees derby and reads it"))
                .last()
                .asString()
                .matches("[1-9][0-9]? of 30 articles were read");
    }

    @Test
    void everySettingHasAType() throws Exception {
        JsonNode api =
                new ObjectMapper(new YAMLFactory()).readTree(open.get("/openapi.yaml").body());
        List<String> settings = new ArrayList<>();
        api.at("/components/schemas/LoopSpec/properties")
                .fieldNames()
                .forEachRemaining(settings::add);
        String types = Files.readString(JAVASCRIPT.resolve("index.d.ts"));
        assertThat(settings)
                .as("settings in client/js/index.d.ts")
                .isNotEmpty()
                .allSatisfy(it -> assertThat(types).contains("\n  " + it + "?:"));
    }

    @Test
    void thePackagesHaveTheVersionAndTheLicenceOfTheProject() throws Exception {
        Matcher pom =
                Pattern.compile("<version>([0-9.]+)(-SNAPSHOT)?</version>")
                        .matcher(Files.readString(ROOT.resolve("pom.xml")));
        assertThat(pom.find()).isTrue();
        String version = pom.group(1);
        assertThat(Files.readString(JAVASCRIPT.resolve("package.json")))
                .contains("\"version\": \"" + version + "\"", "\"license\": \"Apache-2.0\"")
                .doesNotContain("ependencies");
        assertThat(Files.readString(PYTHON.resolve("pyproject.toml")))
                .contains("version = \"" + version + "\"", "Apache-2.0", "dependencies = []");
        for (Path client : List.of(JAVASCRIPT, PYTHON)) {
            assertThat(client.resolve("LICENSE")).hasSameTextualContentAs(ROOT.resolve("LICENSE"));
        }
    }
}
