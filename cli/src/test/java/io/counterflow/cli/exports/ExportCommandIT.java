package io.counterflow.cli.exports;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.cli.parquet.ParquetRows;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.log.LogReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.parquet.example.data.Group;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExportCommandIT {

    private static final String NAMED =
            "{\"eventId\":\"e1\",\"loop\":\"home\",\"policyVersion\":7,\"time\":\"2026-01-01T00:00:01.000002Z\","
                    + "\"context\":{\"features\":{\"user\":{\"age\":0.3,\"likes\":[\"a\",\"b\"]},\"phone\":false,\"position\":\"2\"}},"
                    + "\"actions\":[{\"id\":\"x\",\"features\":{\"t\":{\"k\":\"s\"}}},{\"id\":\"y\",\"features\":{}},{\"id\":\"z\",\"features\":{}}],"
                    + "\"action\":1,\"propensity\":0.3,\"distribution\":[0.6,0.3,0.1],\"reward\":0.25}";

    private static final String DENSE =
            "{\"eventId\":\"d1\",\"loop\":\"mail\",\"policyVersion\":0,\"time\":\"2026-01-02T00:00:00Z\","
                    + "\"context\":{\"dense\":[0.1,-2.0]},\"action\":1,\"propensity\":0.5,\"reward\":1.0}";

    @TempDir private Path dir;

    private Path log(String... lines) throws IOException {
        return Files.writeString(dir.resolve("in.jsonl"), String.join("\n", lines) + "\n");
    }

    private Path out(String name) {
        return dir.resolve(name);
    }

    private static JsonNode export(String format, Path log, Path out, Object... more)
            throws IOException {
        List<Object> args =
                new ArrayList<>(List.of("export", "--format", format, "--log", log, "--out", out));
        args.addAll(List.of(more));
        return OfflineCommands.json(args.toArray());
    }

    private static List<Impression> read(Path log) throws IOException {
        List<Impression> impressions = new ArrayList<>();
        try (LogReader reader = LogReader.open(log)) {
            reader.forEachRemaining(impressions::add);
        }
        return impressions;
    }

    private static JsonNode line(Path file) throws IOException {
        return new ObjectMapper().readTree(Files.readAllLines(file).get(0));
    }

    @Test
    void aLogIsTheSameInAnotherFormat() throws IOException {
        Path log = log(NAMED, DENSE);
        JsonNode report = export("avro", log, out("out.avro"));
        export("jsonl", out("out.avro"), out("out.jsonl.gz"));

        assertThat(report.path("exported").asInt()).isEqualTo(2);
        assertThat(report.path("meanReward").asDouble()).isEqualTo(0.625);
        assertThat(report.path("from").asText()).isEqualTo("2026-01-01T00:00:01.000002Z");
        assertThat(report.path("to").asText()).isEqualTo("2026-01-02T00:00:00Z");
        assertThat(read(out("out.jsonl.gz"))).isEqualTo(read(log));
    }

    @Test
    void onlyDecisionsOfTheLoopAndTheTimeAreExported() throws IOException {
        Path log =
                log(
                        NAMED,
                        DENSE,
                        NAMED.replace("e1", "e2")
                                .replace("2026-01-01T00:00:01", "2026-01-03T00:00:00"),
                        NAMED.replace("e1", "e3")
                                .replace("2026-01-01T00:00:01", "2025-12-31T23:59:59"));

        JsonNode report =
                export(
                        "jsonl",
                        log,
                        out("out.jsonl"),
                        "--loop",
                        "home",
                        "--from",
                        "2026-01-01",
                        "--to",
                        "2026-01-03T01:00:00+01:00");

        assertThat(report.path("records").asInt()).isEqualTo(1);
        assertThat(read(out("out.jsonl"))).extracting(Impression::eventId).containsExactly("e1");
    }

    @Test
    void dsjsonHasTheFieldsOfVowpalWabbit() throws IOException {
        JsonNode report = export("dsjson", log(NAMED), out("out.json"), "--reward-range", "0,10");

        assertThat(report.path("meanReward").asDouble()).isEqualTo(2.5);
        assertThat(Files.readString(out("out.json")))
                .isEqualTo(
                        "{\"_label_cost\":-2.5,\"_label_probability\":0.3,\"_label_Action\":2,\"_labelIndex\":1,"
                                + "\"Version\":\"1\",\"EventId\":\"e1\",\"Timestamp\":\"2026-01-01T00:00:01.000002Z\","
                                + "\"a\":[2,1,3],\"p\":[0.3,0.6,0.1],"
                                + "\"c\":{\"user\":{\"age\":0.3,\"likes\":[{\"\":\"a\"},{\"\":\"b\"}]},\"phone\":false,\"position\":\"2\",\"_multi\":["
                                + "{\"_tag\":\"x\",\"i\":{\"id\":\"x\"},\"t\":{\"k\":\"s\"}},{\"_tag\":\"y\",\"i\":{\"id\":\"y\"}},"
                                + "{\"_tag\":\"z\",\"i\":{\"id\":\"z\"}}]},\"VWState\":{\"m\":\"counterflow-7\"}}\n");
    }

    @Test
    void dsjsonComesBackAsItWas() throws IOException {
        Path log =
                log(
                        NAMED,
                        NAMED.replace("e1", "e2").replace(":7,", ":9,"),
                        NAMED.replace("e1", "e3")
                                .replace(
                                        "[\"a\",\"b\"]",
                                        "[1.5,\"a\",true,[2,\"x\"],{\"o\":[false]},{},{\"\":\"c\"}]")
                                .replace(
                                        "{\"k\":\"s\"}", "[\"m\",\"n\"],\"i\":{\"id\":\"other\"}"));
        export("dsjson", log, out("out.json.gz"));
        OfflineCommands.json(
                "import",
                "--format",
                "dsjson",
                "--loop",
                "home",
                "--in",
                out("out.json.gz"),
                "--out",
                out("back.jsonl"));

        assertThat(read(out("back.jsonl"))).isEqualTo(read(log));
        assertThat(
                        new GZIPInputStream(
                                        new ByteArrayInputStream(
                                                Files.readAllBytes(out("out.json.gz"))))
                                .readAllBytes())
                .isNotEmpty();
    }

    @Test
    void excludedActionsAreLeftOutOfDsjson() throws IOException {
        Path log =
                log(
                        NAMED.replace("[0.6,0.3,0.1]", "[0.0,0.3,0.7]")
                                .replace("\"action\":1", "\"excludedActions\":[0],\"action\":1"));

        JsonNode report = export("dsjson", log, out("out.json"));

        assertThat(report.path("notCarriedOver").toString()).isEqualTo("{\"excludedActions\":1}");
        JsonNode event = line(out("out.json"));
        assertThat(event.path("_labelIndex").asInt()).isZero();
        assertThat(event.path("a").toString()).isEqualTo("[1,2]");
        assertThat(event.path("p").toString()).isEqualTo("[0.3,0.7]");
        assertThat(event.path("c").path("_multi")).hasSize(2);
    }

    @Test
    void vectorsAndSpecialNamesAreSaidToChangeInDsjson() throws IOException {
        JsonNode report = export("dsjson", log(DENSE), out("dense.json"), "--actions", "2");

        assertThat(report.path("notCarriedOver").toString()).isEqualTo("{\"vector\":1}");
        assertThat(line(out("dense.json")).path("c").toString())
                .isEqualTo(
                        "{\"vector\":[0.1,-2.0],\"_multi\":[{\"_tag\":\"0\",\"i\":{\"id\":\"0\"}},"
                                + "{\"_tag\":\"1\",\"i\":{\"id\":\"1\"}}]}");

        Path log = log(NAMED.replace("\"phone\":false", "\"_multi\":[{\"_text\":\"x\"}]"));
        report = export("dsjson", log, out("special.json"));
        assertThat(report.path("notCarriedOver").toString()).isEqualTo("{\"underscores\":1}");
        assertThat(line(out("special.json")).path("c").path("_multi")).hasSize(3);
    }

    @Test
    void namesDecisionsThatTheFormatCannotHold() throws IOException {
        Path log =
                log(
                        NAMED,
                        NAMED.replace("e1", "no\\u001bp")
                                .replace("\"propensity\":0.3,\"distribution\":[0.6,0.3,0.1],", ""),
                        NAMED.replace("e1", "no-r").replace(",\"reward\":0.25", ""),
                        DENSE.replace("mail", "home"));
        OfflineCommands commands = new OfflineCommands();

        int exit =
                commands.run(
                        "export",
                        "--format",
                        "dsjson",
                        "--log",
                        log,
                        "--out",
                        out("out.json"),
                        "--rejected",
                        out("rejected.jsonl"));

        assertThat(exit).isEqualTo(ExitCode.DONE);
        assertThat(commands.out()).contains("exported 1 of 4 decisions, mean reward 0.2500");
        assertThat(commands.err())
                .contains("rejected: loop home, event no?p: no probability: _label_probability")
                .contains("loop home, event no-r: no reward")
                .contains("event d1: no list of actions: the decision does not list its actions");
        assertThat(Files.readAllLines(out("rejected.jsonl"))).hasSize(3);
    }

    @Test
    void parquetHasTheColumnsOfTheOpenBanditPipeline() throws IOException {
        Path log =
                log(
                        NAMED,
                        NAMED.replace("e1", "e2")
                                .replace(
                                        "\"propensity\":0.3,\"distribution\":[0.6,0.3,0.1],\"reward\":0.25",
                                        "\"excludedActions\":[0,2],\"propensity\":0.5"));

        JsonNode report =
                export(
                        "parquet",
                        log,
                        out("out.parquet"),
                        "--position",
                        "position",
                        "--reward-range=-1,1");

        assertThat(report.path("meanReward").asDouble()).isEqualTo(-0.5);
        List<Group> rows = ParquetRows.read(out("out.parquet"));
        assertThat(rows).hasSize(2);
        Group row = rows.get(0);
        assertThat(row.getLong("timestamp", 0)).isEqualTo(1_767_225_601_000_002L);
        assertThat(row.getString("event_id", 0)).isEqualTo("e1");
        assertThat(row.getString("loop", 0)).isEqualTo("home");
        assertThat(row.getLong("policy_version", 0)).isEqualTo(7);
        assertThat(row.getString("context", 0))
                .isEqualTo(
                        "{\"user\":{\"age\":0.3,\"likes\":[\"a\",\"b\"]},\"phone\":false,\"position\":\"2\"}");
        assertThat(row.getString("action_context", 0))
                .startsWith("[{\"id\":\"x\",\"features\":{\"t\":{\"k\":\"s\"}}},{\"id\":\"y\"");
        assertThat(row.getInteger("n_actions", 0)).isEqualTo(3);
        assertThat(row.getInteger("action", 0)).isEqualTo(1);
        assertThat(row.getString("action_id", 0)).isEqualTo("y");
        assertThat(row.getInteger("position", 0)).isEqualTo(2);
        assertThat(row.getDouble("reward", 0)).isEqualTo(-0.5);
        assertThat(row.getDouble("pscore", 0)).isEqualTo(0.3);
        assertThat(list(row, "pi_b")).containsExactly("0.6", "0.3", "0.1");
        assertThat(row.getFieldRepetitionCount("excluded_actions")).isZero();
        Group second = rows.get(1);
        assertThat(second.getFieldRepetitionCount("reward")).isZero();
        assertThat(second.getFieldRepetitionCount("pi_b")).isZero();
        assertThat(list(second, "excluded_actions")).containsExactly("0", "2");
    }

    private static List<String> list(Group row, String name) {
        Group group = row.getGroup(name, 0);
        List<String> values = new ArrayList<>();
        for (int i = 0; i < group.getFieldRepetitionCount("list"); i++) {
            values.add(group.getGroup("list", i).getValueToString(0, 0));
        }
        return values;
    }

    @Test
    void whatAnApprenticeWouldDoIsAColumnOfParquetOnly() throws IOException {
        Path log =
                log(
                        NAMED.replace(
                                "\"propensity\":0.3,\"distribution\":[0.6,0.3,0.1]",
                                "\"propensity\":1.0,\"policyAction\":2"));

        JsonNode dsjson = export("dsjson", log, out("out.json"));
        export("parquet", log, out("out.parquet"));

        assertThat(dsjson.path("notCarriedOver").toString()).isEqualTo("{\"policyAction\":1}");
        assertThat(ParquetRows.read(out("out.parquet")).get(0).getInteger("policy_action", 0))
                .isEqualTo(2);
    }

    @Test
    void parquetHasVectorsAsLists() throws IOException {
        export("parquet", log(DENSE), out("out.parquet"));

        Group row = ParquetRows.read(out("out.parquet")).get(0);
        assertThat(list(row, "context")).containsExactly("0.1", "-2.0");
        assertThat(row.getInteger("position", 0)).isZero();
        assertThat(row.getFieldRepetitionCount("action_id")).isZero();
    }

    @Test
    void oneFileHasOneKindOfContext() throws IOException {
        JsonNode report = export("parquet", log(NAMED, DENSE), out("out.parquet"));
        assertThat(report.path("rejectedBecause").toString())
                .isEqualTo("{\"another kind of context\":1}");
        assertRefused(
                "dsjson has one loop in a file, got \"home\" and \"mail\"",
                "--format",
                "dsjson",
                "--log",
                log(NAMED, DENSE),
                "--out",
                out("out.json"));
        assertThat(out("out.json")).doesNotExist();
    }

    @Test
    void doesNotOverwriteAndLeavesNoEmptyFile() throws IOException {
        Path log = log(NAMED);
        Path taken = Files.writeString(out("taken.jsonl"), "mine");
        assertRefused(
                "--out must not exist yet", "--format", "jsonl", "--log", log, "--out", taken);
        assertThat(taken).hasContent("mine");
        assertRefused(
                "there are no such decisions",
                "--format",
                "parquet",
                "--loop",
                "other",
                "--log",
                log,
                "--out",
                out("none.parquet"));
        assertRefused(
                "no decision of 1 could be exported",
                "--format",
                "dsjson",
                "--log",
                log(DENSE),
                "--out",
                out("none.json"));
        try (var files = Files.list(dir)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("in.jsonl", "taken.jsonl");
        }
    }

    @Test
    void optionsThatDoNotFitAreRefused() throws IOException {
        Path log = log(NAMED);
        assertRefused("either --config or --log", "--format", "jsonl", "--out", out("a.jsonl"));
        assertRefused(
                "--out must end in .jsonl or .jsonl.gz with --format jsonl",
                "--format",
                "jsonl",
                "--log",
                log,
                "--out",
                out("a.avro"));
        assertRefused(
                "--reward-range must not be given with --format avro",
                "--format",
                "avro",
                "--log",
                log,
                "--out",
                out("a.avro"),
                "--reward-range",
                "0,2");
        assertRefused(
                "--policies must be given with --config only",
                "--format",
                "avro",
                "--log",
                log,
                "--out",
                out("a.avro"),
                "--policies",
                out("p"));
        assertRefused(
                "must be a day like 2026-01-31",
                "--format",
                "avro",
                "--log",
                log,
                "--out",
                out("a.avro"),
                "--from",
                "yesterday");
    }

    private static void assertRefused(String message, Object... args) {
        OfflineCommands commands = new OfflineCommands();
        Object[] words = new Object[args.length + 1];
        words[0] = "export";
        System.arraycopy(args, 0, words, 1, args.length);
        int exit = commands.run(words);
        assertThat(exit).as(commands.err()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains(message);
    }
}
