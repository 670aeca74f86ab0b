package io.counterflow.experiments.worlds;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.data.IdxFiles;
import io.counterflow.experiments.ExperimentCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the worlds end to end, with short streams. */
final class WorldsIT {

    @TempDir private Path out;

    private JsonNode run(Object... options) throws IOException {
        List<Object> args =
                new ArrayList<>(
                        List.of(
                                "experiment",
                                "worlds",
                                "--out",
                                out,
                                "--quiet",
                                "--events",
                                1_000));
        args.addAll(List.of(options));
        return ExperimentCommands.json(args.toArray());
    }

    @Test
    void aSecondRunFindsAllResults() throws IOException {
        JsonNode first = run("--worlds", "a,d-dense", "--seeds", 2);
        assertThat(first.path("rows")).hasSize(2);
        assertThat(first.path("rows").get(0).path("reward-model").asText()).contains(" / ");
        assertThat(out.resolve("worlds-a.png")).isNotEmptyFile();
        assertThat(out.resolve("worlds-details.csv")).isNotEmptyFile();

        byte[] results = Files.readAllBytes(out.resolve("worlds.csv"));
        JsonNode again = run("--worlds", "a,d-dense", "--seeds", 2, "--threads", 1);
        assertThat(again.path("rows")).isEqualTo(first.path("rows"));
        assertThat(again.path("unitsDone").asInt(-1)).isZero();
        assertThat(out.resolve("worlds.csv")).hasBinaryContent(results);
    }

    @Test
    void imagesAreAWorld(@TempDir Path data) throws IOException {
        IdxFiles.images(data, 1_200, 400);
        JsonNode table = run("--worlds", "f", "--data", data, "--seeds", 1);
        assertThat(table.path("rows").get(0).path("best").asDouble()).isEqualTo(1.0);
    }
}
