package io.counterflow.e2e.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of docs/tutorial.md work, those of README.md for own traffic, and those of
 * docs/import-export.md for topics.
 */
@Timeout(value = 6, unit = TimeUnit.MINUTES)
final class TutorialIT {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir private Path directory;

    /** The commands of a section, in order. */
    private static Deque<String> commands(String page, String section) {
        int from = page.indexOf("\n## " + section);
        assertThat(from).as(section).isPositive();
        int to = page.indexOf("\n## ", from + 1);
        Deque<String> commands = new ArrayDeque<>();
        StringBuilder block = new StringBuilder();
        String fence = ""; // of the block that the line is in
        for (String line : page.substring(from, to < 0 ? page.length() : to).lines().toList()) {
            if (!line.startsWith("```")) {
                block.append(line).append('\n');
            } else if (fence.isEmpty()) {
                fence = line;
                block.setLength(0);
            } else {
                if (fence.equals("```") || fence.equals("```bash")) {
                    commands.add(block.toString().stripTrailing());
                }
                fence = "";
            }
        }
        return commands;
    }

    private static boolean has(String tool) throws IOException, InterruptedException {
        return new ProcessBuilder("sh", "-c", "command -v " + tool).start().waitFor() == 0;
    }

    private static void await(BashSession bash, String command, String answer) throws Exception {
        long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        String printed = bash.run(command);
        while (!printed.contains(answer)) {
            assertThat(System.nanoTime()).as(command + " printed " + printed).isLessThan(endNs);
            TimeUnit.MILLISECONDS.sleep(100);
            printed = bash.run(command);
        }
    }

    private static String reward(String command, String decision) throws IOException {
        Matcher event = Pattern.compile("/events/([^/]+)/reward").matcher(command);
        assertThat(event.find()).as(command).isTrue();
        String id = JSON.readTree(decision).get("eventId").asText();
        return command.replace(event.group(1), id);
    }

    @Test
    void everyCommandWorks() throws Exception {
        for (String tool : List.of("bash", "curl", "jq")) {
            assumeThat(has(tool)).as("the page uses %s, which is not here", tool).isTrue();
        }
        Files.createSymbolicLink(directory.resolve("bin"), ROOT.resolve("bin"));
        Files.createSymbolicLink(directory.resolve("docs"), ROOT.resolve("docs"));
        String page = Files.readString(ROOT.resolve("docs/tutorial.md"));
        try (BashSession bash = new BashSession(directory)) {
            bash.run("export COUNTERFLOW_SKIP_BUILD=1 JAVA_HOME='" + javaHome() + "'");
            for (String section : List.of("1. ", "2. ")) {
                for (String command : commands(page, section)) {
                    bash.run("set -e; (" + command + "\n); set +e"); // ends the shell on failure
                }
            }
            assertThat(directory.resolve("front-page.json")).isNotEmptyFile();
            Deque<String> start = commands(page, "3. ");
            Process standalone = standalone(start.remove());
            try {
                String url = url(standalone);
                serve(bash, page.replace("localhost:8080", url), start.remove(), url);
                useReadme(bash, url);
                export(bash);
                standalone.destroy();
                assertThat(standalone.waitFor()).isZero();
            } finally {
                standalone.destroyForcibly().waitFor();
            }
        }
    }

    private static String javaHome() {
        return System.getProperty("java.home");
    }

    private Process standalone(String command) throws IOException {
        assertThat(command).isEqualTo("bin/counterflow standalone");
        List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
        words.addAll(List.of("--port", "0", "--json"));
        ProcessBuilder builder =
                new ProcessBuilder(words)
                        .directory(directory.toFile())
                        .redirectOutput(directory.resolve("standalone.out").toFile())
                        .redirectError(directory.resolve("standalone.err").toFile());
        builder.environment().put("COUNTERFLOW_SKIP_BUILD", "1");
        builder.environment().put("JAVA_HOME", javaHome());
        return builder.start();
    }

    private String url(Process standalone) throws IOException {
        Path out = directory.resolve("standalone.out");
        RunningServing.await("addresses", () -> out.toFile().length() > 0 || !standalone.isAlive());
        JsonNode printed = JSON.readTree(Files.readString(out));
        return printed.get("url").asText().replace("http://", "");
    }

    private void serve(BashSession bash, String page, String create, String url) throws Exception {
        assertThat(bash.run(create.replace("localhost:8080", url)))
                .contains("{\"loop\":\"front-page\",\"version\":1,\"change\":\"created\"");
        Deque<String> decide = commands(page, "4. ");
        String rank = decide.remove() + " -sS";
        String decision = bash.run(rank);
        assertThat(decision).contains("\"policyVersion\":1", "\"logged\":true");
        assertThat(bash.run(reward(decide.remove(), decision) + " -sS")).contains("rewardId");
        String visits = decide.remove().replace("seq 300", "seq 220"); // as many as are needed
        Files.writeString(directory.resolve("visits.sh"), visits + "\n");
        assertThat(bash.run("bash visits.sh")).isEmpty();
        Deque<String> promote = commands(page, "5. ");
        await(bash, promote.remove(), "\"version 2 waits for a person\"");
        bash.run(promote.remove());
        await(bash, rank, "\"policyVersion\":2");
        String rollback = promote.remove();
        assertThat(bash.run(rollback + " --url http://" + url)).doesNotContain("failed");
        await(bash, rank, "\"policyVersion\":1");
        assertThat(promote).isEmpty();
    }

    /** The commands of docs/import-export.md take the decisions from the topics to a file. */
    private void export(BashSession bash) throws Exception {
        String page = Files.readString(ROOT.resolve("docs/import-export.md"));
        String part =
                page.substring(page.indexOf("### From topics"), page.indexOf("### From logs"));
        String kafka =
                JSON.readTree(Files.readString(directory.resolve("standalone.out")))
                        .get("kafka")
                        .asText();
        Files.writeString(
                directory.resolve("counterflow.yaml"),
                part.lines()
                        .filter(line -> line.startsWith("kafka.bootstrap-servers: "))
                        .findFirst()
                        .orElseThrow()
                        .replace("localhost:9092", kafka));
        List<JsonNode> printed = new ArrayList<>();
        for (String command :
                part.lines().filter(line -> line.startsWith("bin/counterflow ")).toList()) {
            printed.add(
                    JSON.readTree(
                            bash.run("set -e; (" + command + " --json 2>export.err); set +e")));
        }
        assertThat(printed).hasSize(3);
        long decisions = printed.get(0).path("exported").asLong();
        assertThat(decisions).isGreaterThanOrEqualTo(200); // what version 2 has learned from
        assertThat(printed.get(1).path("matches").asLong()).isEqualTo(decisions);
        assertThat(printed.get(2).path("n").asLong()).isEqualTo(decisions);
    }

    private static void useReadme(BashSession bash, String url) throws Exception {
        String readme = Files.readString(ROOT.resolve("README.md"));
        List<String> curls =
                readme.lines()
                        .filter(line -> line.startsWith("$ curl ") && line.contains("/loops/home"))
                        .map(line -> line.substring(2).replace("localhost:8080", url) + " -sS")
                        .toList();
        assertThat(curls).hasSize(3);
        assertThat(bash.run(curls.get(0))).contains("\"change\":\"created\"");
        String decision = bash.run(curls.get(1));
        assertThat(decision).contains("\"logged\":true");
        assertThat(bash.run(reward(curls.get(2), decision))).contains("rewardId");
    }
}
