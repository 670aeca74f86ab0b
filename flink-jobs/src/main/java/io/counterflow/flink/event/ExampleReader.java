package io.counterflow.flink.event;

import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.json.JsonLimits;
import io.counterflow.schemas.record.ImpressionRecord;
import io.counterflow.schemas.wire.ImpressionConversion;
import io.counterflow.schemas.wire.Optionals;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Objects;

/** Decodes examples. Not thread-safe. */
public final class ExampleReader {

    private final WireCodec<ImpressionRecord> codec = WireCodec.of(ImpressionRecord.class);
    private final ImpressionConversion conversion = new ImpressionConversion(JsonLimits.defaults());

    /** A decoded example. */
    public record Read(Impression impression, LoggedExample example) {}

    /**
     * Reads an example.
     *
     * @param assembly the feature assembly of the spec in force
     */
    public Read read(
            LoopEvent event, LoopSpec inForce, FormerSpecs former, FeatureAssembly assembly)
            throws RefusedEventException {
        Outcome outcome = Objects.requireNonNull(event.outcome());
        return ControlReader.read(
                event,
                codec,
                record -> {
                    Impression impression =
                            conversion
                                    .fromRecord(record)
                                    .withReward(
                                            outcome.reward(),
                                            Optionals.of(outcome.guardrailReward()));
                    LoopSpec spec = former.decidedUnder(impression.specVersion(), inForce);
                    return new Read(
                            impression, impression.toExample(assembly, spec.fixedActions()));
                },
                RefusalReason.EXAMPLE);
    }
}
