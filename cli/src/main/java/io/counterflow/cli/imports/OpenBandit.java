package io.counterflow.cli.imports;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The CSV files of the Open Bandit Dataset. Each row is a decision of one position, with the user's
 * features, the position and, as a feature of each item, the user's affinity to it.
 */
final class OpenBandit extends TableLog {

    private static final String USER_FEATURE = "user_feature_";
    private static final String AFFINITY = "user-item_affinity_";

    private final String loop;
    private final RewardMapping rewards;
    private final List<NamedAction> items;

    private int item;
    private int position;
    private int click;
    private int propensity;
    private OptionalInt timestamp = OptionalInt.empty();
    private final Map<String, Integer> userFeatures = new TreeMap<>(); // column by feature
    private int[] affinities = new int[0]; // column by item; -1 for none

    /**
     * @param items all items, in the order of their numbers
     */
    OpenBandit(String loop, RewardMapping rewards, List<NamedAction> items) {
        super(',');
        this.loop = loop;
        this.rewards = rewards;
        this.items = items;
    }

    @Override
    void start(CsvTable table) {
        item = require(table, "item_id");
        position = require(table, "position");
        click = require(table, "click");
        propensity = require(table, "propensity_score");
        timestamp = table.column("timestamp");
        userFeatures.clear();
        affinities = new int[items.size()];
        table.columns()
                .forEach(
                        (name, column) -> {
                            if (name.startsWith(USER_FEATURE)) {
                                userFeatures.put(name.substring("user_".length()), column);
                            }
                        });
        for (int a = 0; a < items.size(); a++) {
            affinities[a] = table.column(AFFINITY + a).orElse(-1);
        }
    }

    @Override
    Impression parse(CsvTable.Row row, String eventId) {
        List<String> fields = row.fields();
        double number = number(fields.get(item), Rejection.ACTION, "item_id");
        if (number != Math.rint(number) || number < 0 || number >= items.size()) {
            throw new RejectedRecordException(
                    Rejection.ACTION,
                    "item_id must be a whole number below %d, the number of items"
                            .formatted(items.size()));
        }
        double p =
                Decisions.propensity(
                        "propensity_score",
                        number(fields.get(propensity), Rejection.PROPENSITY, "propensity_score"));
        double reward = rewards.applyAsDouble(number(fields.get(click), Rejection.REWARD, "click"));
        Instant time =
                timestamp.isPresent()
                        ? Decisions.time("timestamp", fields.get(timestamp.getAsInt()))
                        : Instant.EPOCH;
        return Decisions.of(
                eventId,
                loop,
                0,
                time,
                new Context.Named(context(fields), actions(fields)),
                Choice.of((int) number, p),
                reward);
    }

    private NamedFeatures context(List<String> fields) {
        List<NamedFeatures.Entry> user = new ArrayList<>();
        userFeatures.forEach(
                (name, column) ->
                        user.add(
                                new NamedFeatures.Entry(
                                        name, new FeatureValue.Text(fields.get(column)))));
        return new NamedFeatures(
                List.of(
                        new NamedFeatures.Entry(
                                "position", new FeatureValue.Text(fields.get(position))),
                        new NamedFeatures.Entry("user", new NamedFeatures(user))));
    }

    private List<NamedAction> actions(List<String> fields) {
        List<NamedAction> actions = new ArrayList<>(items);
        for (int a = 0; a < actions.size(); a++) {
            if (affinities[a] < 0) {
                continue;
            }
            double affinity =
                    number(fields.get(affinities[a]), Rejection.FEATURES, "user-item_affinity");
            if (affinity != 0.0) {
                List<NamedFeatures.Entry> features =
                        new ArrayList<>(actions.get(a).features().entries());
                features.add(
                        new NamedFeatures.Entry("affinity", new FeatureValue.Quantity(affinity)));
                actions.set(a, new NamedAction(actions.get(a).id(), new NamedFeatures(features)));
            }
        }
        return actions;
    }
}
