package io.counterflow.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tables of the results page are the output of its commands, and can be reproduced. */
final class ResultsPageIT {

    private static final Path PAGE = Path.of("../docs/results.md");
    private static final Path FOUND = Path.of("../docs/results");
    private static final Path DATA = Path.of("../../shared/data");
    private static final Pattern COMMAND =
            Pattern.compile("(?m)^\\$ bin/counterflow (experiment .* --out results)$");

    /** It takes seconds, so it stores nothing and computes everything again. */
    private static final String WITHOUT_STORED_RESULTS = " open-bandit ";

    private static final String RECOMPUTED = ",one-pass,objective=trust-lpr";

    @TempDir private Path out;

    private static List<String> commands() throws IOException {
        List<String> commands = new ArrayList<>();
        Matcher matcher = COMMAND.matcher(Files.readString(PAGE));
        while (matcher.find()) {
            commands.add(matcher.group(1));
        }
        assertThat(commands).hasSizeGreaterThanOrEqualTo(5);
        return commands;
    }

    private static List<Path> found(String ending) throws IOException {
        try (Stream<Path> files = Files.list(FOUND)) {
            return files.filter(file -> file.toString().endsWith(ending)).sorted().toList();
        }
    }

    @Test
    void tablesMatchTheOutputOfTheCommands() throws IOException {
        List<Path> tables = found(".md");
        assertThat(tables).hasSameSizeAs(commands());
        for (Path table : tables) {
            assertThat(PAGE).content().contains(Files.readString(table));
        }
    }

    @Test
    void theCommandsCreateTheseTablesFromTheStoredResults() throws IOException {
        for (Path csv : found(".csv")) {
            Files.copy(csv, out.resolve(csv.getFileName()));
        }
        int made = 0;
        for (String command : commands()) {
            List<Object> words = new ArrayList<>(List.of(command.split(" ")));
            Path data = DATA.resolve(Path.of(wordAfter("--data", words)).getFileName());
            if (Files.exists(data)) {
                words.set(words.indexOf("--data") + 1, data);
                words.set(words.indexOf("--out") + 1, out);
                JsonNode told = ExperimentCommands.json(words.toArray());
                if (!command.contains(WITHOUT_STORED_RESULTS)) {
                    assertThat(told.path("unitsDone").asInt(-1)).as(command).isZero();
                }
                made++;
            }
        }
        assumeThat(made).as("skipped: the data sets are not on this machine").isPositive();
        try (Stream<Path> written = Files.list(out)) {
            List<Path> tables = written.filter(file -> file.toString().endsWith(".md")).toList();
            assertThat(tables).hasSize(made);
            for (Path table : tables) {
                assertThat(table).hasSameTextualContentAs(FOUND.resolve(table.getFileName()));
            }
        }
    }

    @Test
    void recomputingAResultGivesTheSameNumbers() throws IOException {
        Path data = DATA.resolve("fashion-mnist");
        assumeThat(data).as("skipped: Fashion-MNIST is not on this machine").exists();
        Path stored = FOUND.resolve("streaming.csv");
        Path copy = out.resolve("streaming.csv");
        List<String> lines = new ArrayList<>(Files.readAllLines(stored));
        assertThat(lines.removeIf(line -> line.contains(RECOMPUTED))).isTrue();
        Files.write(copy, lines);
        String command =
                commands().stream()
                        .filter(it -> it.contains(" streaming "))
                        .findFirst()
                        .orElseThrow();
        List<Object> words = new ArrayList<>(List.of(command.split(" ")));
        words.set(words.indexOf("--data") + 1, data);
        words.set(words.indexOf("--out") + 1, out);
        assertThat(ExperimentCommands.json(words.toArray()).path("unitsDone").asInt()).isPositive();
        assertThat(copy).hasSameTextualContentAs(stored);
    }

    private static String wordAfter(String option, List<Object> words) {
        return words.get(words.indexOf(option) + 1).toString();
    }
}
