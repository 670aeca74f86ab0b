package io.counterflow.serving.loops;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.ChangeWords;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.Setting;
import io.counterflow.core.spec.SpecChange;
import io.counterflow.core.text.JsonName;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.snapshot.SnapshotJson;
import io.counterflow.schemas.spec.LoopSpecJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With {@code -Dcounterflow.writeDocs=true} the page is written anew instead of compared. */
final class LoopsPageIT {

    private static final Path PAGE = Path.of("..", "docs", "loops.md");
    private static final String BEGIN = "<!-- %s: written by LoopsPageIT -->\n";
    private static final String END = "<!-- end of %s -->\n";

    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final LoopSpecJson JSON = new LoopSpecJson(JsonLimits.defaults());

    private static final String DENSE = "{\"actions\":[\"a\",\"b\"],\"features\":2}";
    private static final String HASHED = "{\"bits\":18}";
    private static final String MIXED =
            DENSE.replace(
                    "}",
                    ",\"policy\":\"mixedLogit\",\"propensityKind\":\"estimated\",\"variance\":0.1}");
    private static final String SMOOTHED = DENSE.replace("}", ",\"objective\":\"ls-lpr\"}");
    private static final String BAYESIAN =
            DENSE.replace("}", ",\"objective\":\"bcrm\",\"normBound\":1.0}");

    /** The groups of settings by the first of each, in the order of the table of settings. */
    private static final Map<Setting<?>, String> GROUPS =
            Map.of(
                    LoopSettings.FEATURES, "actions and features",
                    LoopSettings.POLICY, "decisions",
                    LoopSettings.LEARNER, "learning",
                    LoopSettings.REWARD_RANGE, "rewards",
                    LoopSettings.ROLLOUT_MODE, "rollout",
                    LoopSettings.STARTING_POLICY, "start");

    @Test
    void thePageListsEverySettingOnceInTheGroupThatItBelongsTo() throws IOException {
        String page = Files.readString(PAGE);
        for (Map.Entry<String, List<Setting<?>>> group : groups().entrySet()) {
            page = replaced(page, group.getKey(), table(group.getValue()));
        }
        if (Boolean.getBoolean("counterflow.writeDocs")) {
            Files.writeString(PAGE, page);
        }
        String written = Files.readString(PAGE);
        assertThat(written).isEqualTo(page);
        for (Setting<?> setting : LoopSettings.ALL) {
            assertThat(written.split("\n\\| `" + setting.name() + "` \\|", -1))
                    .as(setting.name())
                    .hasSize(2);
        }
    }

    private static Map<String, List<Setting<?>>> groups() {
        Map<String, List<Setting<?>>> groups = new LinkedHashMap<>();
        String group = "";
        for (Setting<?> setting : LoopSettings.ALL) {
            group = GROUPS.getOrDefault(setting, group);
            groups.computeIfAbsent(group, it -> new ArrayList<>()).add(setting);
        }
        assertThat(groups.keySet()).containsExactlyInAnyOrderElementsOf(GROUPS.values());
        return groups;
    }

    private static String replaced(String page, String group, String table) {
        int begin = page.indexOf(BEGIN.formatted(group));
        int end = page.indexOf(END.formatted(group));
        assertThat(begin).as(group).isPositive();
        assertThat(end).as(group).isGreaterThan(begin);
        return page.substring(0, begin) + BEGIN.formatted(group) + table + page.substring(end);
    }

    private static String table(List<Setting<?>> settings) {
        return "| setting | default | range | description | what a change means |\n"
                + "|---|---|---|---|---|\n"
                + settings.stream().map(LoopsPageIT::row).collect(Collectors.joining());
    }

    private static <T> String row(Setting<T> setting) {
        String byDefault = setting.show(setting.defaultValue());
        return "| `%s` | %s | %s | %s | %s |\n"
                .formatted(
                        setting.name(),
                        byDefault.equals("none") ? byDefault : "`" + byDefault + "`",
                        range(setting),
                        setting.description(),
                        ChangeWords.of(setting));
    }

    private static String range(Setting<?> setting) {
        return setting.kind() == Setting.Kind.WORD
                ? setting.words().stream()
                        .map(word -> "`" + word + "`")
                        .collect(Collectors.joining(", "))
                : setting.range().replaceFirst("^in ", "");
    }

    /**
     * One setting of a spec that is given another value.
     *
     * @param base the spec before
     * @param value JSON
     * @param verdict what the page says of it
     */
    record Changed(String name, String base, String value, String verdict) {
        @Override
        public String toString() {
            return name + " of " + base;
        }
    }

    static Stream<Changed> changes() {
        return LoopSettings.ALL.stream()
                .flatMap(
                        setting ->
                                cases(setting).entrySet().stream()
                                        .map(
                                                it ->
                                                        new Changed(
                                                                setting.name(),
                                                                it.getKey(),
                                                                value(setting, it.getKey()),
                                                                it.getValue())));
    }

    /** Specs in which a setting is changed, and the verdict that the page gives for each. */
    private static Map<String, String> cases(Setting<?> setting) {
        String words = ChangeWords.of(setting);
        return switch (words) {
            case "`refused` with `features`, `immediate` with `bits`" ->
                    Map.of(DENSE, "refused", HASHED, "immediate");
            case "`nextGeneration` with `ls-lpr`, otherwise `immediate`" ->
                    Map.of(SMOOTHED, "nextGeneration", DENSE, "immediate");
            case "`nextGeneration` with `bcrm` and `bcrm-convex`, otherwise `immediate`" ->
                    Map.of(BAYESIAN, "nextGeneration", DENSE, "immediate");
            default -> Map.of(base(setting.name()), words.replace("`", ""));
        };
    }

    private static String base(String name) {
        return switch (name) {
            case "bits", "interactions", "actionIds" -> HASHED;
            case "propensityKind", "variance" -> MIXED;
            default -> DENSE;
        };
    }

    private static String value(Setting<?> setting, String base) {
        return base.equals(HASHED) && setting.name().equals("actions")
                ? "[{\"id\":\"a\",\"features\":{}}]"
                : Objects.requireNonNull(VALUES.get(setting.name()), setting.name());
    }

    /** For each setting another value than its default. */
    private static final Map<String, String> VALUES =
            Map.ofEntries(
                    entry("features", "3"),
                    entry("bits", "19"),
                    entry("actions", "[\"a\",\"c\"]"),
                    entry("interactions", "[\"a:b\"]"),
                    entry("actionIds", "false"),
                    entry("normBound", "2.0"),
                    entry("policy", "\"mixedLogit\""),
                    entry("propensityKind", "\"upperBound\""),
                    entry("propensityDraws", "10"),
                    entry("variance", "0.2"),
                    entry("inverseTemperature", "2.0"),
                    entry("explorationFloor", "0.1"),
                    entry("distributionLimit", "7"),
                    entry("featureLimit", "7"),
                    entry("unloggedDecision", "\"answer\""),
                    entry("learner", "\"lpr\""),
                    entry("objective", "\"wnll-lpr\""),
                    entry("lambda", "0.5"),
                    entry("priorVariance", "0.5"),
                    entry("tau", "0.5"),
                    entry("smoothing", "0.5"),
                    entry("delta", "0.01"),
                    entry("learningRate", "0.5"),
                    entry("adaGradSmoothing", "0.5"),
                    entry("batchSize", "7"),
                    entry("bufferSteps", "2"),
                    entry("bufferCapacity", "1000"),
                    entry("seed", "2"),
                    entry("snapshotExamples", "7"),
                    entry("snapshotRewards", "7"),
                    entry("snapshotInterval", "\"60s\""),
                    entry("attributionWindow", "\"60s\""),
                    entry("rewardRange", "[-1,1]"),
                    entry("defaultReward", "0.5"),
                    entry("rewardAggregation", "\"max\""),
                    entry("rolloutMode", "\"immediate\""),
                    entry("canaryShare", "0.5"),
                    entry("candidateExamples", "7"),
                    entry("minimumGain", "0.01"),
                    entry("guardrailMargin", "0.1"),
                    entry("guardrailDefaultReward", "1"),
                    entry("automaticRollback", "false"),
                    entry("holdoutShare", "0.05"),
                    entry("holdoutVersion", "3"),
                    entry(
                            "startingPolicy",
                            SnapshotJson.toJson(
                                    PolicySnapshot.of(
                                            "home", 1, DenseModel.zeros(2, 2), Optional.empty()),
                                    true)));

    @ParameterizedTest
    @MethodSource("changes")
    void aChangeOfEverySettingMeansWhatThePageSays(Changed changed) throws IOException {
        ObjectNode after = (ObjectNode) MAPPER.readTree(changed.base());
        after.set(changed.name(), MAPPER.readTree(changed.value()));
        if (changed.name().equals("policy")) { // a mixed logit needs more
            after.put("propensityKind", "estimated").put("variance", 0.1);
        }
        SpecChange change =
                SpecChange.between(spec(changed.base()), spec(MAPPER.writeValueAsString(after)));
        assertThat(change.fields())
                .filteredOn(field -> field.name().equals(changed.name()))
                .singleElement()
                .satisfies(
                        field ->
                                assertThat(JsonName.of(field.verdict()))
                                        .isEqualTo(changed.verdict()));
    }

    private static LoopSpec spec(String json) {
        return JSON.read(json, "home", 1, Instant.EPOCH.plusSeconds(2_000_000_000));
    }
}
