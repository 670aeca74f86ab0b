package io.counterflow.cli.exports;

import io.counterflow.cli.console.Losses;
import io.counterflow.cli.parquet.ParquetFile;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.schemas.json.JsonText;
import io.counterflow.schemas.json.NamedFeaturesJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A Parquet file with the columns of {@link DecisionColumns}. The first decision determines whether
 * contexts are vectors or text.
 */
final class ParquetLog implements DecisionWriter {

    private static final FeatureValue NONE = new FeatureValue.Text("");

    private final Path path;
    private final Optional<List<String>> position;
    private final String createdBy;
    private @Nullable ParquetFile file; // null until the first decision says what contexts are
    private boolean dense;

    /**
     * @param position name of the context feature that is the position, by its namespaces; empty
     *     for position 0
     */
    ParquetLog(Path path, Optional<List<String>> position, String createdBy) {
        this.path = path;
        this.position = position;
        this.createdBy = createdBy;
    }

    @Override
    public void write(LoggedDecision decision, Losses<ExportLoss> losses)
            throws IOException, LeftOutException {
        Impression impression = decision.impression();
        int at = position(impression.context());
        boolean isDense = denseOf(impression.context()).isPresent();
        if (file != null && isDense != dense) {
            throw new LeftOutException(
                    LeftOut.OTHER_CONTEXT,
                    "the column context has %s; choose one loop with --loop"
                            .formatted(dense ? "vectors" : "text"));
        }
        if (file == null) {
            dense = isDense;
            file = new ParquetFile(path, DecisionColumns.schema(dense), createdBy);
        }
        // Texts that cannot be written are refused before the row begins.
        String context = dense ? "" : text(impression.context());
        List<NamedAction> actions = decision.actions();
        String actionContext = actions.isEmpty() ? "" : text(actions);
        file.write(
                consumer ->
                        write(
                                decision,
                                context,
                                actionContext,
                                at,
                                new DecisionColumns(dense, consumer)));
        if (impression.choice().split().isPresent()) {
            losses.add(ExportLoss.SPLIT);
        }
        if (impression.choice().holdout()) {
            losses.add(ExportLoss.HOLDOUT);
        }
    }

    private static void write(
            LoggedDecision decision,
            String context,
            String actionContext,
            int position,
            DecisionColumns row) {
        Impression impression = decision.impression();
        Choice choice = impression.choice();
        List<NamedAction> actions = decision.actions();
        row.time("timestamp", impression.time());
        row.text("event_id", impression.eventId());
        row.text("loop", impression.loop());
        row.whole("policy_version", impression.policyVersion());
        denseOf(impression.context())
                .ifPresentOrElse(
                        vector -> row.floats("context", vector.values()),
                        () -> row.text("context", context));
        if (!actions.isEmpty()) {
            row.text("action_context", actionContext);
            row.integer("n_actions", actions.size());
        }
        row.integer("action", choice.action());
        if (choice.action() < actions.size()) {
            row.text("action_id", actions.get(choice.action()).id());
        }
        if (choice.policyAction().isPresent()) {
            row.integer("policy_action", choice.policyAction().getAsInt());
        }
        row.integer("position", position);
        row.number("reward", decision.reward());
        row.number("guardrail_reward", impression.guardrailReward());
        row.number("pscore", choice.propensity());
        if (choice.propensityKind() != PropensityKind.EXACT) {
            row.text("pscore_kind", choice.propensityKind().name().toLowerCase(Locale.ROOT));
        }
        if (!choice.distribution().isEmpty()) {
            row.numbers("pi_b", choice.distribution());
        }
        if (!choice.allowed().isAll()) {
            row.integers("excluded_actions", choice.allowed().excluded());
        }
    }

    private static Optional<DenseVector> denseOf(Context context) {
        return context instanceof Context.Vector vector
                        && vector.features() instanceof DenseVector values
                ? Optional.of(values)
                : Optional.empty();
    }

    /** The features as JSON, as in a line of a log. */
    private static String text(Context context) {
        if (context instanceof Context.Named named) {
            return NamedFeaturesJson.write(named.features());
        }
        SparseVector sparse = (SparseVector) ((Context.Vector) context).features();
        String values =
                IntStream.range(0, sparse.entries())
                        .mapToObj(i -> Float.toString(sparse.value(i)))
                        .collect(Collectors.joining(","));
        String indices =
                IntStream.range(0, sparse.entries())
                        .mapToObj(i -> Integer.toString(sparse.index(i)))
                        .collect(Collectors.joining(","));
        return "{\"dimension\":%d,\"indices\":[%s],\"values\":[%s]}"
                .formatted(sparse.dimension(), indices, values);
    }

    private static String text(List<NamedAction> actions) {
        StringBuilder json = new StringBuilder("[");
        for (NamedAction action : actions) {
            json.append(json.length() > 1 ? "," : "").append("{\"id\":");
            JsonText.append(action.id(), json);
            json.append(",\"features\":")
                    .append(NamedFeaturesJson.write(action.features()))
                    .append('}');
        }
        return json.append(']').toString();
    }

    private int position(Context context) throws LeftOutException {
        if (position.isEmpty()) {
            return 0;
        }
        FeatureValue value =
                context instanceof Context.Named named ? named.features() : NamedFeatures.none();
        for (String part : position.get()) {
            value = value instanceof NamedFeatures inside ? value(inside, part) : NONE;
        }
        String text =
                value instanceof FeatureValue.Text it
                        ? it.value()
                        : value instanceof FeatureValue.Quantity it
                                ? Double.toString(it.value()).replaceFirst("\\.0$", "")
                                : "";
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new LeftOutException(
                    LeftOut.POSITION, "the feature --position must be a whole number");
        }
    }

    private static FeatureValue value(NamedFeatures features, String name) {
        return features.entries().stream()
                .filter(entry -> entry.name().equals(name))
                .map(NamedFeatures.Entry::value)
                .findFirst()
                .orElse(NONE);
    }

    @Override
    public void finish() throws IOException {
        if (file != null) {
            file.finish();
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
