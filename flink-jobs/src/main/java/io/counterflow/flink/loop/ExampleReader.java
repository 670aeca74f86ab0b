package io.counterflow.flink.loop;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.Choice;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.log.NamedEncoder;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the examples of loops. Belongs to one thread at a time. */
final class ExampleReader {

    private final WireCodec<LoggedExampleRecord> codec = WireCodec.of(LoggedExampleRecord.class);
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());
    private @Nullable AllowedActions all; // of as many actions as the last example had

    /**
     * An example as its loop learns it.
     *
     * @param impression the decision
     * @param example what is learned
     * @param allowed the actions that could be chosen
     */
    record Read(Impression impression, LoggedExample example, AllowedActions allowed) {}

    /**
     * Reads an example.
     *
     * @param encoder that of the spec in force
     */
    Read read(LoopEvent event, LoopSpecs specs, NamedEncoder encoder) throws RefusedEventException {
        try {
            LoggedExampleRecord record = codec.decode(Objects.requireNonNull(event.raw().value()));
            Impression impression =
                    conversion.fromRecord(record.getImpression()).withReward(record.getReward());
            LoopSpec spec = specs.decidedUnder(impression.specVersion());
            return encoded(impression, spec, encoder);
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            throw new RefusedEventException(LoopRule.EXAMPLE, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // A hole in our own rules: still one record, not the job. Its message may quote values.
            throw new RefusedEventException(LoopRule.EXAMPLE, e.getClass().getSimpleName());
        }
    }

    private Read encoded(Impression impression, LoopSpec spec, NamedEncoder encoder) {
        LoggedExample example = impression.toExample(encoder, spec.fixedActions());
        Choice choice = impression.choice();
        if (impression.context() instanceof Context.Vector) {
            int actions = spec.shape().actionIds().size();
            LoggedExample bounded =
                    with(example, spec.bounded(example.features()), choice.action());
            return new Read(impression, bounded, allowed(actions, choice));
        }
        ActionFeatures rows = (ActionFeatures) example.features();
        AllowedActions allowed = allowed(rows.actions(), choice);
        if (allowed.count() == allowed.actions()) {
            return new Read(impression, example, allowed);
        }
        // What was excluded was not offered: without its rows the choice is one among the others.
        int action = 0;
        for (int before = 0; before < choice.action(); before++) {
            action += allowed.contains(before) ? 1 : 0;
        }
        ActionFeatures offered = rows.select(allowed::contains);
        return new Read(impression, with(example, offered, action), all(allowed.count()));
    }

    private static LoggedExample with(LoggedExample example, Features features, int action) {
        return features == example.features() && action == example.action()
                ? example
                : new LoggedExample(
                        features,
                        action,
                        example.propensity(),
                        example.reward(),
                        example.policyVersion());
    }

    private AllowedActions allowed(int actions, Choice choice) {
        if (choice.excludedActions().isEmpty()) {
            return all(actions);
        }
        return AllowedActions.allBut(
                actions, choice.excludedActions().stream().mapToInt(Integer::intValue).toArray());
    }

    private AllowedActions all(int actions) {
        AllowedActions known = all;
        if (known == null || known.actions() != actions) {
            known = AllowedActions.all(actions);
            all = known;
        }
        return known;
    }
}
