package io.counterflow.cli.exports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.parquet.ParquetRows;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.log.LogReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.example.data.Group;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Public logs stay the same through formats, where they are on this machine. */
final class PublicRoundTripsIT {

    private static final Path DATA = Path.of("../../shared/data");

    @TempDir private Path dir;

    private static List<Impression> read(Path log) throws IOException {
        List<Impression> impressions = new ArrayList<>();
        try (LogReader reader = LogReader.open(log)) {
            reader.forEachRemaining(impressions::add);
        }
        return impressions;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dsjson_cb.json",
                "dsjson_cb_default_ns.json",
                "decisionservice.json",
                "cb_features_w_zero_vals.dsjson",
                "igl.dsjson"
            })
    void dsjson(String name) throws IOException {
        Path in = DATA.resolve("vw-dsjson").resolve(name);
        assumeThat(Files.exists(in)).as("%s is not on this machine", in).isTrue();
        imports("dsjson", in, "first.jsonl");
        exports("dsjson", "first.jsonl", "again.json");
        imports("dsjson", dir.resolve("again.json"), "second.avro");
        exports("jsonl", "second.avro", "third.jsonl.gz");

        List<Impression> first = read(dir.resolve("first.jsonl"));
        assertThat(first).isNotEmpty();
        assertThat(read(dir.resolve("second.avro"))).isEqualTo(first);
        assertThat(read(dir.resolve("third.jsonl.gz"))).isEqualTo(first);
    }

    @Test
    void openBandit() throws IOException {
        Path data = DATA.resolve("open-bandit");
        assumeThat(Files.isDirectory(data)).as("%s is not on this machine", data).isTrue();
        imports(
                "open-bandit",
                head(data.resolve("bts-men.csv.gz")),
                "first.avro",
                "--item-context",
                data.resolve("bts-men-item_context.csv"));
        exports("dsjson", "first.avro", "again.json.gz");
        imports("dsjson", dir.resolve("again.json.gz"), "second.avro");
        exports("parquet", "first.avro", "first.parquet", "--position", "position");

        List<Impression> first = read(dir.resolve("first.avro"));
        assertThat(read(dir.resolve("second.avro"))).isEqualTo(first);
        List<Group> rows = ParquetRows.read(dir.resolve("first.parquet"));
        assertThat(rows).hasSameSizeAs(first);
        for (int i = 0; i < rows.size(); i++) {
            Group row = rows.get(i);
            Impression impression = first.get(i);
            assertThat(row.getString("event_id", 0)).isEqualTo(impression.eventId());
            assertThat(row.getInteger("action", 0)).isEqualTo(impression.choice().action());
            assertThat(row.getInteger("position", 0)).isBetween(1, 3);
            assertThat(impression.reward()).hasValue(row.getDouble("reward", 0));
            assertThat(impression.choice().propensity()).hasValue(row.getDouble("pscore", 0));
        }
    }

    /** The header and the first 1,000 rows. */
    private Path head(Path compressed) throws IOException {
        try (BufferedReader reader =
                new BufferedReader(
                        new InputStreamReader(
                                new GZIPInputStream(Files.newInputStream(compressed)),
                                StandardCharsets.UTF_8))) {
            return Files.write(dir.resolve("head.csv"), reader.lines().limit(1_001).toList());
        }
    }

    private void imports(String format, Path in, String out, Object... more) throws IOException {
        run("import", List.of("--format", format, "--in", in, "--out", dir.resolve(out)), more);
    }

    private void exports(String format, String in, String out, Object... more) throws IOException {
        List<Object> args =
                List.of("--format", format, "--log", dir.resolve(in), "--out", dir.resolve(out));
        run("export", args, more);
    }

    private static void run(String command, List<Object> args, Object... more) throws IOException {
        List<Object> words = new ArrayList<>(List.of(command, "--quiet"));
        words.addAll(args);
        words.addAll(List.of(more));
        assertThat(OfflineCommands.json(words.toArray()).path("rejected").asLong()).isZero();
    }
}
