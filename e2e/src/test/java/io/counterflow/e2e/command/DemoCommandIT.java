package io.counterflow.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.console.ExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demo, started with the launcher of the build. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class DemoCommandIT {

    private static final Path LAUNCHER =
            Path.of("").toAbsolutePath().resolveSibling("bin").resolve("counterflow");

    /** The number of policies that have decided for which the test waits. */
    private static final int GENERATIONS = 4;

    /** How many times as much as a uniform choice the page earns before the test goes on. */
    private static final double GAIN = 1.5;

    /** Examples from which on the mean reward is close to a normal distribution. */
    private static final long ENOUGH = 500;

    private static final Pattern STATUS =
            Pattern.compile("generation (\\d+) .* reward (\\d+\\.\\d) %, uniform (\\d+\\.\\d) %");

    @TempDir private Path temp;

    private Process start(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of(LAUNCHER.toString(), "demo", "--json"));
        command.addAll(List.of("--port", "0", "--directory", temp.resolve("demo").toString()));
        command.addAll(List.of(options));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(temp.resolve("out").toFile());
        builder.environment().put("COUNTERFLOW_SKIP_BUILD", "1");
        builder.environment().put("COUNTERFLOW_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder.start();
    }

    /** Reads lines up to the first one that matches, or to the end. */
    private static List<String> readUntil(BufferedReader err, Predicate<String> last)
            throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = err.readLine(); line != null; line = err.readLine()) {
            lines.add(line);
            if (last.test(line)) {
                return lines;
            }
        }
        return lines;
    }

    private static List<String> readToEnd(BufferedReader err) throws IOException {
        return readUntil(err, line -> false);
    }

    private static boolean saysThatItHasLearned(String line) {
        Matcher said = STATUS.matcher(line);
        return said.find()
                && Integer.parseInt(said.group(1)) >= GENERATIONS
                && Double.parseDouble(said.group(2)) > GAIN * Double.parseDouble(said.group(3));
    }

    private JsonNode result() throws IOException {
        return new ObjectMapper().readTree(Files.readString(temp.resolve("out")));
    }

    @Test
    void theDemoLearnsStopsAndContinues() throws Exception {
        Process first = start();
        try (BufferedReader err = first.errorReader(StandardCharsets.UTF_8)) {
            List<String> said = readUntil(err, DemoCommandIT::saysThatItHasLearned);
            assertThat(first.isAlive()).as(String.join("\n", said)).isTrue();
            first.toHandle().destroy(); // like Ctrl-C, but its streams stay open
            said.addAll(readToEnd(err));
            assertThat(first.waitFor()).as(String.join("\n", said)).isZero();
            assertThat(said).anyMatch(line -> line.startsWith("stopped with savepoint"));
        } finally {
            first.destroyForcibly();
        }
        JsonNode learned = result();
        assertThat(learned.get("generations").size()).isGreaterThanOrEqualTo(GENERATIONS);
        double reward = learned.get("finalReward").asDouble();
        double firstPolicy = learned.get("generations").get(0).get("trueValue").asDouble();
        assertThat(reward).isGreaterThan(1.4 * learned.get("baselineReward").asDouble());
        assertThat(reward).isGreaterThan(1.3 * firstPolicy);
        assertThat(learned.get("failedCalls").asLong()).isZero();
        assertThat(learned.get("deadLetters").asLong()).isZero();
        assertMeasuredRewardsAreTrue(learned);

        Process second = start("--duration", "8s", "--headless");
        try (BufferedReader err = second.errorReader(StandardCharsets.UTF_8)) {
            List<String> said = readToEnd(err);
            assertThat(second.waitFor()).as(String.join("\n", said)).isZero();
            assertThat(said).anyMatch(line -> line.startsWith("continuing in "));
        } finally {
            second.destroyForcibly();
        }
        JsonNode continued = result();
        assertThat(continued.get("events").asLong()).isPositive();
        assertThat(continued.get("totalEvents").asLong())
                .isGreaterThanOrEqualTo(
                        learned.get("totalEvents").asLong() + continued.get("events").asLong());
        assertThat(continued.get("newestVersion").asLong())
                .isGreaterThanOrEqualTo(learned.get("newestVersion").asLong());
        assertThat(continued.get("joined").asLong()).isPositive();
        for (int g = 0; g < learned.get("generations").size(); g++) {
            JsonNode again = continued.get("generations").get(g);
            assertThat(again.get("version"))
                    .isEqualTo(learned.get("generations").get(g).get("version"));
            assertThat(again.get("trueValue").isNumber()).as(again.toString()).isTrue();
        }

        Process other = start("--seed", "2");
        try (BufferedReader err = other.errorReader(StandardCharsets.UTF_8)) {
            assertThat(String.join("\n", readToEnd(err))).contains("--fresh");
            assertThat(other.waitFor()).isEqualTo(ExitCode.BAD_INPUT);
        }
    }

    /** The measured reward of each version agrees with the true value of the simulation. */
    private static void assertMeasuredRewardsAreTrue(JsonNode learned) {
        for (JsonNode generation : learned.get("generations")) {
            long n = generation.get("examples").asLong();
            if (n >= ENOUGH) {
                double value = generation.get("trueValue").asDouble();
                double error = Math.sqrt(value * (1 - value) / n);
                assertThat(Math.abs(generation.get("meanReward").asDouble() - value) / error)
                        .as(generation.toString())
                        .isLessThan(5.0);
            }
        }
    }
}
