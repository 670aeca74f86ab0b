package io.counterflow.flink.event;

import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.LoggedExampleRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Objects;

/** Decodes examples. Not thread-safe. */
public final class ExampleReader {

    private final WireCodec<LoggedExampleRecord> codec = WireCodec.of(LoggedExampleRecord.class);
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());

    /**
     * A decoded example.
     *
     * @param impression the decision
     * @param example the example to learn from
     */
    public record Read(Impression impression, LoggedExample example) {}

    /**
     * Reads an example.
     *
     * @param inForce the spec in force
     * @param assembly the feature assembly of the spec in force
     */
    public Read read(
            LoopEvent event, LoopSpec inForce, FormerSpecs former, FeatureAssembly assembly)
            throws RefusedEventException {
        try {
            LoggedExampleRecord record = codec.decode(Objects.requireNonNull(event.raw().value()));
            Impression impression =
                    conversion.fromRecord(record.getImpression()).withReward(record.getReward());
            LoopSpec spec = former.decidedUnder(impression.specVersion(), inForce);
            return new Read(impression, impression.toExample(assembly, spec.fixedActions()));
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            throw new RefusedEventException(RefusalReason.EXAMPLE, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // A case that the rules miss must not stop the job. The message may quote user data.
            throw new RefusedEventException(RefusalReason.EXAMPLE, e.getClass().getSimpleName());
        }
    }
}
