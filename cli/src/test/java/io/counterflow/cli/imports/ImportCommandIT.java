package io.counterflow.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import io.counterflow.cli.console.ExitCode;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.json.NamedFeaturesJson;
import io.counterflow.schemas.log.LogReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ImportCommandIT {

    @TempDir private Path dir;

    private Path file(String name, String content) throws IOException {
        return Files.writeString(dir.resolve(name), content);
    }

    private Path log() {
        return dir.resolve("log.jsonl");
    }

    private static List<Impression> read(Path log) throws IOException {
        List<Impression> impressions = new ArrayList<>();
        try (LogReader reader = LogReader.open(log)) {
            reader.forEachRemaining(impressions::add);
        }
        return impressions;
    }

    private JsonNode imported(String format, Path in, Object... more) throws IOException {
        List<Object> args =
                new ArrayList<>(List.of("import", "--format", format, "--in", in, "--out", log()));
        args.addAll(List.of(more));
        return OfflineCommands.json(args.toArray());
    }

    private static String json(Context context) {
        return NamedFeaturesJson.write(((Context.Named) context).features());
    }

    private static List<NamedAction> actions(Impression impression) {
        return ((Context.Named) impression.context()).actions();
    }

    private static String event(String label, String more) {
        return "{"
                + label
                + more
                + ",\"EventId\":\"e\",\"Timestamp\":\"2021-02-04T16:31:29.2460000Z\","
                + "\"c\":{\"user\":{\"country\":\"de\",\"_age\":3},\"n\":[{\"x\":1}],"
                + "\"_multi\":[{\"_tag\":\"b\",\"j\":{\"t\":\"hot\"}},{\"_tag\":\"a\"}]}}\n";
    }

    private static String label(double cost, double probability, int index) {
        return "\"_label_cost\":%s,\"_label_probability\":%s,\"_label_Action\":%d,\"_labelIndex\":%d"
                .formatted(cost, probability, index + 1, index);
    }

    @Test
    void dsjsonKeepsLabelProbabilitiesAndFeatures() throws IOException {
        Path in =
                file(
                        "in.json",
                        event(
                                label(-1.0, 0.800000011920929, 1),
                                ",\"a\":[2,1],\"p\":[0.8,0.2],\"VWState\":{\"m\":\"m1\"}"));

        JsonNode report = imported("dsjson", in, "--loop", "home");

        assertThat(report.path("imported").asInt()).isEqualTo(1);
        Impression impression = read(log()).get(0);
        assertThat(impression.eventId()).isEqualTo("e");
        assertThat(impression.loop()).isEqualTo("home");
        assertThat(impression.time()).hasToString("2021-02-04T16:31:29.246Z");
        assertThat(impression.policyVersion()).isEqualTo(1);
        assertThat(impression.reward()).hasValue(1.0);
        assertThat(impression.choice().action()).isEqualTo(1);
        assertThat(impression.choice().propensity()).hasValue(0.800000011920929);
        assertThat(impression.choice().distribution()).containsExactly(0.2, 0.8);
        assertThat(json(impression.context()))
                .isEqualTo("{\"user\":{\"country\":\"de\"},\"n\":[{\"x\":1.0}]}");
        assertThat(actions(impression)).extracting(NamedAction::id).containsExactly("b", "a");
        assertThat(NamedFeaturesJson.write(actions(impression).get(0).features()))
                .isEqualTo("{\"j\":{\"t\":\"hot\"}}");
    }

    @Test
    void aListOfActionsFromZeroIsNotARanking() throws IOException {
        Path in = file("in.json", event(label(0.0, 0.8, 1), ",\"a\":[0,1],\"p\":[0.2,0.8]"));

        imported("dsjson", in);

        assertThat(read(log()).get(0).choice().distribution()).containsExactly(0.2, 0.8);
    }

    @Test
    void saysWhatDoesNotCarryOver() throws IOException {
        String more = ",\"a\":[1,2],\"p\":[0.8,0.2],\"pdrop\":0.5,\"o\":[{\"v\":1}]";
        Path in = file("in.json", event(label(-1.0, 0.8, 1), more + ",\"_original_label_cost\":0"));

        JsonNode report = imported("dsjson", in);

        assertThat(report.path("notCarriedOver").toString())
                .isEqualTo(
                        "{\"pdrop\":1,\"observations\":1,\"originalCost\":1,\"distribution\":1}");
        assertThat(read(log()).get(0).choice().distribution()).isEmpty();
    }

    @Test
    void namesEveryRejectedLineAndCountsReasons() throws IOException {
        Path in =
                file(
                        "in.json",
                        event(label(-1.0, 0.8, 1), "")
                                + "[1]\n\n"
                                + event(label(-1.0, 0.0, 1), "")
                                + event(label(-2.0, 0.5, 1), "")
                                + event(label(-1.0, 0.5, 2), "")
                                + event(label(-1.0, 0.5, 1), ",\"_skipLearn\":true")
                                + "{\"RewardValue\":1.0,\"EventId\":\"e\",\"Observations\":[]}\n"
                                + event("\"_label_probability\":0.5", ""));
        Path rejected = dir.resolve("rejected.jsonl");
        OfflineCommands commands = new OfflineCommands();

        int exit =
                commands.run(
                        "import",
                        "--format",
                        "dsjson",
                        "--in",
                        in,
                        "--out",
                        log(),
                        "--rejected",
                        rejected);

        assertThat(exit).isEqualTo(ExitCode.DONE);
        assertThat(commands.out()).contains("imported 1 of 8 records, mean reward 1.000");
        assertThat(commands.err())
                .contains("in.json, line 2: not in the format: must be a JSON object, got an array")
                .contains("line 4: invalid probability: _label_probability must be in (0, 1]")
                .contains("line 5: invalid reward: reward must be in [0, 1], got 2.0")
                .contains("line 6: invalid action: _labelIndex must be in [0, 2), got 2")
                .contains("line 7: marked as not to be learned from")
                .contains("line 8: not a decision")
                .contains("line 9: no label");
        assertThat(Files.readAllLines(rejected))
                .hasSize(7)
                .element(1)
                .asString()
                .startsWith(
                        "{\"file\":\"" + in + "\",\"line\":4,\"reason\":\"invalid probability\"");
    }

    @Test
    void mapsRewardsOfAnotherRange() throws IOException {
        Path in = file("in.json", event(label(-1.0, 0.5, 1), "") + event(label(0.5, 0.5, 0), ""));

        imported("dsjson", in, "--reward-range=-1,1");

        assertThat(read(log()))
                .extracting(it -> it.reward().orElseThrow())
                .containsExactly(1.0, 0.25);
    }

    @Test
    void readsALinePerActionOfVowpalWabbitsText() throws IOException {
        Path in =
                file(
                        "train.dat",
                        """
                        shared |user country=de age:0.5 |geo:2 lat:1.5
                        'first |item sport fresh:0.25 fresh:0.25
                        0:-1:0.25 'second | plain

                        shared | s
                        1:0:0.5 | a
                        | b
                        """);

        imported("vw-text", in);

        List<Impression> impressions = read(log());
        assertThat(impressions).hasSize(2);
        Impression first = impressions.get(0);
        assertThat(first.eventId()).isEqualTo("train.dat-1");
        assertThat(first.choice().action()).isEqualTo(1);
        assertThat(first.choice().propensity()).hasValue(0.25);
        assertThat(first.reward()).hasValue(1.0);
        assertThat(json(first.context()))
                .isEqualTo("{\"user\":{\"country=de\":1.0,\"age\":0.5},\"geo\":{\"lat\":3.0}}");
        assertThat(actions(first)).extracting(NamedAction::id).containsExactly("first", "second");
        assertThat(NamedFeaturesJson.write(actions(first).get(0).features()))
                .isEqualTo("{\"item\":{\"sport\":1.0,\"fresh\":0.5}}");
        assertThat(actions(impressions.get(1)))
                .extracting(NamedAction::id)
                .containsExactly("1", "2");
        assertThat(impressions.get(1).reward()).hasValue(0.0);
    }

    @Test
    void readsALinePerDecisionOfVowpalWabbitsText() throws IOException {
        Path in = file("cb.dat", "2:-0.5:0.4 | a b:2\n1 3:0:0.25 | a\n4:0:0.5 | a\n");

        JsonNode report = imported("vw-text", in, "--actions", "3");

        assertThat(report.path("rejected").asInt()).isEqualTo(1);
        List<Impression> impressions = read(log());
        assertThat(impressions.get(0).choice().action()).isEqualTo(1);
        assertThat(impressions.get(0).reward()).hasValue(0.5);
        assertThat(impressions.get(0).choice().allowed().isAll()).isTrue();
        assertThat(impressions.get(1).choice().allowed().excluded()).containsExactly(1);
        assertThat(actions(impressions.get(1))).hasSize(3);
    }

    @Test
    void readsColumnsThatAMappingNames() throws IOException {
        Path mapping =
                file(
                        "mapping.yaml",
                        """
                        delimiter: ";"
                        eventId: id
                        time: at
                        timeFormat: seconds
                        action: shown
                        actions:
                          - id: sport
                            features: {topic: {kind: ball}}
                          - news
                          - arts
                        excluded: missing
                        propensity: p
                        cost: loss
                        context:
                          user.country: country
                          user.age: {column: age, type: number}
                          phone: {column: phone, type: boolean}
                        """);
        Path in =
                file(
                        "in.csv",
                        """
                        id;at;shown;missing;p;loss;country;age;phone;other
                        a;1577836800;news;arts;0.5;-1;"d""e;";;yes;x
                        b;1577836801;music;;0.5;0;fr;3;no;x
                        c;1577836802;sport;;;;fr;3;no;x
                        """);

        JsonNode report = imported("csv", in, "--mapping", mapping);

        assertThat(report.path("rejectedBecause").toString()).isEqualTo("{\"invalid action\":1}");
        assertThat(report.path("notCarriedOver").toString())
                .isEqualTo("{\"noPropensity\":1,\"noReward\":1}");
        Impression first = read(log()).get(0);
        assertThat(first.time()).hasToString("2020-01-01T00:00:00Z");
        assertThat(first.choice().action()).isEqualTo(1);
        assertThat(first.choice().allowed().excluded()).containsExactly(2);
        assertThat(first.reward()).hasValue(1.0);
        assertThat(((Context.Named) first.context()).features().entries())
                .containsExactly(
                        new NamedFeatures.Entry(
                                "user",
                                new NamedFeatures(
                                        List.of(
                                                new NamedFeatures.Entry(
                                                        "country",
                                                        new FeatureValue.Text("d\"e;"))))),
                        new NamedFeatures.Entry("phone", new FeatureValue.Flag(true)));
        assertThat(NamedFeaturesJson.write(actions(first).get(0).features()))
                .isEqualTo("{\"topic\":{\"kind\":\"ball\"}}");
    }

    @Test
    void readsVectorsInColumns() throws IOException {
        Path mapping =
                file(
                        "mapping.json",
                        "{\"action\":\"a\",\"actions\":[\"0\",\"1\"],\"reward\":\"r\","
                                + "\"propensity\":\"p\",\"dense\":[\"x\",\"y\"]}");
        Path in = file("in.csv", "a,r,p,x,y\n1,0.5,0.25,0.1,-2\n");

        imported("csv", in, "--mapping", mapping);

        assertThat(Files.readString(log()))
                .contains("\"context\":{\"dense\":[0.1,-2.0]},\"action\":1,\"propensity\":0.25");
    }

    @Test
    void refusesAMappingThatDoesNotFit() throws IOException {
        Path in = file("in.csv", "a,r\n1,1\n");
        assertRefused(
                in,
                "{action: a, reward: r, actions: [x], context: {f: missing}}",
                "in.csv: the file must have a column \"missing\"");
        assertRefused(
                in,
                "{action: a, reward: r, cost: r, actions: [x], dense: [a]}",
                "reward or cost must be a column, and not both");
        assertRefused(
                in,
                "{action: a, reward: r, actions: [x, x], dense: [a]}",
                "actions must have an id each");
        assertRefused(
                in,
                "{action: a, reward: r, actions: [x], context: {u: a, u.b: r}}",
                "context must not have u and features below it");
        assertRefused(in, "{acton: a}", "acton");
    }

    private void assertRefused(Path in, String mapping, String message) throws IOException {
        OfflineCommands commands = new OfflineCommands();
        int exit =
                commands.run(
                        "import",
                        "--format",
                        "csv",
                        "--mapping",
                        file("m.yaml", mapping),
                        "--in",
                        in,
                        "--out",
                        log());
        assertThat(exit).as(commands.err()).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains(message);
        assertThat(log()).doesNotExist();
    }

    @Test
    void readsTheOpenBanditDataset() throws IOException {
        Path items =
                file(
                        "item_context.csv",
                        ",item_id,item_feature_0,item_feature_1\n0,0,-0.5,ab\n1,1,0.25,12\n");
        Path in =
                file(
                        "men.csv",
                        ",timestamp,item_id,position,click,propensity_score,user_feature_0,"
                                + "user-item_affinity_0,user-item_affinity_1\n"
                                + "0,2019-11-24 00:01:03.979311+00:00,1,2,1,0.045525,cef,0.0,2.0\n"
                                + "1,2019-11-24 00:01:04.979311+00:00,2,2,1,0.045525,cef,0.0,2.0\n");

        JsonNode report = imported("open-bandit", in, "--item-context", items);

        assertThat(report.path("rejected").asInt()).isEqualTo(1);
        Impression first = read(log()).get(0);
        assertThat(first.time()).hasToString("2019-11-24T00:01:03.979311Z");
        assertThat(first.choice().action()).isEqualTo(1);
        assertThat(first.choice().propensity()).hasValue(0.045525);
        assertThat(json(first.context()))
                .isEqualTo("{\"position\":\"2\",\"user\":{\"feature_0\":\"cef\"}}");
        assertThat(NamedFeaturesJson.write(actions(first).get(1).features()))
                .isEqualTo("{\"feature_0\":0.25,\"feature_1\":\"12\",\"affinity\":2.0}");
    }

    @Test
    void readsItsOwnLinesAndCompressedFiles() throws IOException {
        Path in = dir.resolve("raw"); // the content tells that it is compressed
        String line =
                "{\"context\":{\"dense\":[1]},\"action\":0,\"propensity\":0.5,\"reward\":0.5}\n";
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(in))) {
            out.write((line + line.replace("0.5}", "3}")).getBytes(StandardCharsets.UTF_8));
        }

        JsonNode report = imported("jsonl", in, "--reward-range=-1,1");

        assertThat(report.path("rejectedBecause").toString()).isEqualTo("{\"invalid reward\":1}");
        assertThat(read(log()).get(0).reward()).hasValue(0.75);
    }

    @Test
    void reportsTheRestOfADamagedFile() throws IOException {
        Path whole = dir.resolve("whole.gz");
        String line =
                "{\"context\":{\"dense\":[1]},\"action\":0,\"propensity\":0.5,\"reward\":0.5}\n";
        try (GZIPOutputStream out = new GZIPOutputStream(Files.newOutputStream(whole))) {
            out.write(line.repeat(10_000).getBytes(StandardCharsets.UTF_8));
        }
        byte[] bytes = Files.readAllBytes(whole);
        Path in =
                Files.write(
                        dir.resolve("cut.gz"), java.util.Arrays.copyOf(bytes, bytes.length - 9));

        JsonNode report = imported("jsonl", in);

        assertThat(report.path("rejectedBecause").toString())
                .isEqualTo("{\"the file is damaged\":1}");
    }

    @Test
    void leavesNoLogWithoutDecisions() throws IOException {
        Path in = file("in.json", "[1]\n");
        OfflineCommands commands = new OfflineCommands();

        int exit = commands.run("import", "--format", "dsjson", "--in", in, "--out", log());

        assertThat(exit).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("no record of 1 could be imported");
        assertThat(log()).doesNotExist();
    }

    @Test
    void doesNotOverwriteItsInput() throws IOException {
        Path in = file("in.jsonl", "[1]\n");
        OfflineCommands commands = new OfflineCommands();

        int exit = commands.run("import", "--format", "jsonl", "--in", in, "--out", in);

        assertThat(exit).isEqualTo(ExitCode.BAD_INPUT);
        assertThat(commands.err()).contains("--out must not be a file that is read");
        assertThat(in).hasContent("[1]");
    }
}
