package io.counterflow.cli.imports;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.log.ReadProgress;
import io.counterflow.schemas.log.TextLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The items of a campaign of the Open Bandit Dataset, from its file {@code item_context.csv}. */
final class OpenBanditItems {

    private static final String FEATURE = "item_feature_";

    /** The only feature that is a number; the others are hashes. */
    private static final String NUMBER = "item_feature_0";

    private OpenBanditItems() {}

    static List<NamedAction> read(Path file) throws IOException {
        try (TextLines lines = TextLines.open(file, ReadProgress.none())) {
            return read(CsvTable.open(lines, ','));
        } catch (IllegalArgumentException | RejectedRecordException e) {
            throw new BadInputException(file + ": " + e.getMessage(), e);
        }
    }

    private static List<NamedAction> read(CsvTable table) throws IOException {
        int id = TableLog.require(table, "item_id");
        Map<String, Integer> columns = new TreeMap<>();
        table.columns()
                .forEach(
                        (name, column) -> {
                            if (name.startsWith(FEATURE)) {
                                columns.put(name, column);
                            }
                        });
        List<NamedAction> items = new ArrayList<>();
        while (table.advance()) {
            List<String> fields = table.row().fields();
            if (!fields.get(id).equals(Integer.toString(items.size()))) {
                throw new IllegalArgumentException(
                        "line %d: item_id must be %d, because items are numbered from 0 in order"
                                .formatted(table.line(), items.size()));
            }
            if (items.size() == JsonLimits.defaults().maxActions()) {
                throw new IllegalArgumentException(
                        "there must not be more than %d items"
                                .formatted(JsonLimits.defaults().maxActions()));
            }
            List<NamedFeatures.Entry> features = new ArrayList<>();
            columns.forEach((name, column) -> features.add(feature(name, fields.get(column))));
            items.add(new NamedAction(fields.get(id), new NamedFeatures(features)));
        }
        if (items.isEmpty()) {
            throw new IllegalArgumentException("the file must have items, and has none");
        }
        return items;
    }

    private static NamedFeatures.Entry feature(String column, String text) {
        return new NamedFeatures.Entry(
                column.substring("item_".length()),
                column.equals(NUMBER)
                        ? new FeatureValue.Quantity(
                                TableLog.number(text, Rejection.FEATURES, column))
                        : new FeatureValue.Text(text));
    }

    /** Items without features. */
    static List<NamedAction> numbered(int items) {
        List<NamedAction> actions = new ArrayList<>();
        for (int a = 0; a < items; a++) {
            actions.add(new NamedAction(Integer.toString(a), NamedFeatures.none()));
        }
        return actions;
    }
}
