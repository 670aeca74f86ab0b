package io.counterflow.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Imports public logs, where they are on this machine. */
final class PublicLogsIT {

    private static final Path DSJSON = Path.of("../../shared/data/vw-dsjson");
    private static final Path OPEN_BANDIT = Path.of("../../shared/data/open-bandit");

    @TempDir private Path dir;

    @ParameterizedTest
    @CsvSource({
        "dsjson_cb.json, 23, 12",
        "dsjson_cb_default_ns.json, 4, 2",
        "decisionservice.json, 3, 2",
        "cb_features_w_zero_vals.dsjson, 2, 2",
        "igl.dsjson, 200, 61"
    })
    void importsEveryEventOfVowpalWabbit(String name, int events, int rewards) throws IOException {
        assumeThat(Files.isDirectory(DSJSON)).as("%s is not on this machine", DSJSON).isTrue();

        JsonNode report =
                OfflineCommands.json(
                        "import",
                        "--format",
                        "dsjson",
                        "--in",
                        DSJSON.resolve(name),
                        "--out",
                        dir.resolve("log.jsonl"));

        assertThat(report.path("imported").asInt()).isEqualTo(events);
        assertThat(report.path("rejected").asInt()).isZero();
        assertThat(report.path("notCarriedOver").has("distribution")).isFalse();
        assertThat(report.path("meanReward").asDouble()).isEqualTo((double) rewards / events);
    }

    @Test
    void rejectsWhatIsNoDecision() throws IOException {
        assumeThat(Files.isDirectory(DSJSON)).as("%s is not on this machine", DSJSON).isTrue();

        JsonNode report =
                OfflineCommands.json(
                        "import",
                        "--format",
                        "dsjson",
                        "--in",
                        DSJSON.resolve("b1848_dsjson_parser_regression.txt"),
                        DSJSON.resolve("dsjson_cb.json"),
                        "--out",
                        dir.resolve("log.jsonl"));

        assertThat(report.path("records").asInt()).isEqualTo(31);
        assertThat(report.path("imported").asInt()).isEqualTo(23);
        assertThat(report.path("rejectedBecause").toString())
                .isEqualTo(
                        "{\"not in the format\":1,\"not a decision\":6,"
                                + "\"marked as not to be learned from\":1}");
    }

    @ParameterizedTest
    @CsvSource({"random-men, 46", "bts-men, 69", "random-women, 46", "bts-women, 46"})
    void importsEveryRowOfTheOpenBanditDataset(String name, int clicks) throws IOException {
        assumeThat(Files.isDirectory(OPEN_BANDIT))
                .as("%s is not on this machine", OPEN_BANDIT)
                .isTrue();

        JsonNode report =
                OfflineCommands.json(
                        "import",
                        "--format",
                        "open-bandit",
                        "--in",
                        OPEN_BANDIT.resolve(name + ".csv.gz"),
                        "--item-context",
                        OPEN_BANDIT.resolve(name + "-item_context.csv"),
                        "--out",
                        dir.resolve("log.jsonl.gz"));

        assertThat(report.path("imported").asInt()).isEqualTo(10_000);
        assertThat(report.path("rejected").asInt()).isZero();
        assertThat(report.path("meanReward").asDouble()).isEqualTo(clicks / 10_000.0);
    }
}
