package io.counterflow.flink.event;

import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.rollout.RolloutCommandConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Objects;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecordBase;

/** Decodes specs and commands. Not thread-safe. */
public final class ControlReader {

    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutCommandRecord> commands =
            WireCodec.of(RolloutCommandRecord.class);

    public LoopSpec spec(LoopEvent event) throws RefusedEventException {
        return read(event, specs, LoopSpecConversion::fromRecord, RefusalReason.SPEC);
    }

    public RolloutCommand command(LoopEvent event) throws RefusedEventException {
        return read(event, commands, RolloutCommandConversion::fromRecord, RefusalReason.COMMAND);
    }

    static <T extends SpecificRecordBase, R> R read(
            LoopEvent event, WireCodec<T> codec, Function<T, R> conversion, RefusalReason rule)
            throws RefusedEventException {
        try {
            return conversion.apply(codec.decode(Objects.requireNonNull(event.raw().value())));
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            throw new RefusedEventException(rule, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // A case that the rules miss must not stop the job. The message may quote user data.
            throw new RefusedEventException(rule, e.getClass().getSimpleName());
        }
    }
}
