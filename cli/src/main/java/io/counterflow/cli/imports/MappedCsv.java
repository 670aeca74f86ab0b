package io.counterflow.cli.imports;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.PropensityKind;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** A CSV file with a decision on every row, in columns that a {@link CsvMapping} names. */
final class MappedCsv extends TableLog {

    private final String loop;
    private final RewardMapping rewards;
    private final CsvMapping mapping;
    private final Map<String, Integer> actions = new HashMap<>(); // position by id
    private Map<String, Integer> columns = Map.of();

    MappedCsv(String loop, RewardMapping rewards, CsvMapping mapping) {
        super(mapping.delimiter());
        this.loop = loop;
        this.rewards = rewards;
        this.mapping = mapping;
        for (int a = 0; a < mapping.actions().size(); a++) {
            actions.put(mapping.actions().get(a).id(), a);
        }
    }

    @Override
    void start(CsvTable table) {
        List<String> needed = new ArrayList<>(List.of(mapping.action(), mapping.reward()));
        mapping.eventId().ifPresent(needed::add);
        mapping.time().ifPresent(needed::add);
        mapping.policyVersion().ifPresent(needed::add);
        mapping.excluded().ifPresent(needed::add);
        mapping.propensity().ifPresent(needed::add);
        mapping.context().values().forEach(feature -> needed.add(feature.column()));
        needed.addAll(mapping.dense());
        needed.forEach(column -> require(table, column));
        columns = table.columns();
    }

    private String field(CsvTable.Row row, String column) {
        Integer position = columns.get(column);
        if (position == null) {
            throw new IllegalStateException("all columns have been found in the header");
        }
        return row.fields().get(position).strip();
    }

    @Override
    Impression parse(CsvTable.Row row, String eventId) {
        String id = mapping.eventId().map(column -> field(row, column)).orElse("");
        return new Impression(
                id.isEmpty() ? eventId : id,
                loop,
                mapping.policyVersion().map(column -> whole(row, column)).orElse(0L),
                0,
                mapping.time().map(column -> time(row, column)).orElse(Instant.EPOCH),
                context(row),
                new Choice(
                        action(field(row, mapping.action()), mapping.action()),
                        propensity(row),
                        PropensityKind.EXACT,
                        List.of(),
                        mapping.excluded()
                                .map(column -> allowed(row, column))
                                .orElse(AllowedActions.ALL)),
                RewardRule.none(),
                reward(row));
    }

    private static long parseWhole(String text, String column) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new RejectedRecordException(
                    Rejection.FIELD, column + " must be a whole number of 64 bits");
        }
    }

    private long whole(CsvTable.Row row, String column) {
        return parseWhole(field(row, column), column);
    }

    private Instant time(CsvTable.Row row, String column) {
        String text = field(row, column);
        try {
            return switch (mapping.timeFormat()) {
                case ISO -> Decisions.time(column, text);
                case SECONDS -> Instant.ofEpochSecond(parseWhole(text, column));
                case MILLISECONDS -> Instant.ofEpochMilli(parseWhole(text, column));
            };
        } catch (DateTimeException e) {
            throw new RejectedRecordException(
                    Rejection.FIELD, column + " must be a time in the years 1 to 9999");
        }
    }

    private int action(String id, String column) {
        Integer position = actions.get(id);
        if (position == null) {
            throw new RejectedRecordException(
                    Rejection.ACTION, column + " must be the id of one of the actions");
        }
        return position;
    }

    private AllowedActions allowed(CsvTable.Row row, String column) {
        String ids = field(row, column);
        if (ids.isEmpty()) {
            return AllowedActions.ALL;
        }
        List<Integer> excluded = new ArrayList<>();
        for (String id : ids.split("\\s+", -1)) {
            excluded.add(action(id, column));
        }
        return AllowedActions.allBut(
                excluded.stream().distinct().mapToInt(Integer::intValue).toArray());
    }

    private OptionalDouble propensity(CsvTable.Row row) {
        Optional<String> column = mapping.propensity();
        if (column.isEmpty() || field(row, column.get()).isEmpty()) {
            return OptionalDouble.empty();
        }
        String name = column.get();
        return OptionalDouble.of(
                Decisions.propensity(name, number(field(row, name), Rejection.PROPENSITY, name)));
    }

    private OptionalDouble reward(CsvTable.Row row) {
        String text = field(row, mapping.reward());
        if (text.isEmpty()) {
            return OptionalDouble.empty();
        }
        double value = number(text, Rejection.REWARD, mapping.reward());
        return OptionalDouble.of(
                mapping.isCost() ? rewards.ofCost(value) : rewards.applyAsDouble(value));
    }

    private Context context(CsvTable.Row row) {
        if (!mapping.dense().isEmpty()) {
            float[] values = new float[mapping.dense().size()];
            for (int i = 0; i < values.length; i++) {
                String column = mapping.dense().get(i);
                values[i] = (float) number(field(row, column), Rejection.FEATURES, column);
                if (!Float.isFinite(values[i])) {
                    throw new RejectedRecordException(
                            Rejection.FEATURES, column + " must be within the range of a float");
                }
            }
            return new Context.Vector(DenseVector.owning(values));
        }
        Map<String, Object> features = new LinkedHashMap<>();
        mapping.context()
                .forEach(
                        (path, feature) ->
                                value(row, feature)
                                        .ifPresent(
                                                value ->
                                                        put(
                                                                features,
                                                                path.split("\\.", -1),
                                                                value)));
        return new Context.Named(named(features), mapping.actions());
    }

    private Optional<FeatureValue> value(CsvTable.Row row, CsvMapping.Feature feature) {
        String text = field(row, feature.column());
        if (text.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                switch (feature.type()) {
                    case TEXT -> new FeatureValue.Text(text);
                    case NUMBER ->
                            new FeatureValue.Quantity(
                                    number(text, Rejection.FEATURES, feature.column()));
                    case BOOLEAN -> new FeatureValue.Flag(flag(text, feature.column()));
                });
    }

    private static boolean flag(String text, String column) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true", "yes", "1" -> true;
            case "false", "no", "0" -> false;
            default ->
                    throw new RejectedRecordException(
                            Rejection.FEATURES, column + " must be true, yes, 1, false, no or 0");
        };
    }

    /** Puts a value where the path of its name says. */
    @SuppressWarnings("unchecked") // the maps are made here
    private static void put(Map<String, Object> features, String[] path, FeatureValue value) {
        Map<String, Object> inside = features;
        for (int i = 0; i < path.length - 1; i++) {
            inside =
                    (Map<String, Object>)
                            inside.computeIfAbsent(
                                    path[i], unused -> new LinkedHashMap<String, Object>());
        }
        inside.put(path[path.length - 1], value);
    }

    @SuppressWarnings("unchecked")
    private static NamedFeatures named(Map<String, Object> features) {
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        features.forEach(
                (name, value) ->
                        entries.add(
                                new NamedFeatures.Entry(
                                        name,
                                        value instanceof FeatureValue leaf
                                                ? leaf
                                                : named((Map<String, Object>) value))));
        return entries.isEmpty() ? NamedFeatures.none() : new NamedFeatures(entries);
    }
}
