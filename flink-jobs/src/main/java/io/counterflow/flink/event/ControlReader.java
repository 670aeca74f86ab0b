package io.counterflow.flink.event;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.rollout.RolloutCommandConversion;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Objects;
import java.util.function.Function;
import org.apache.avro.specific.SpecificRecordBase;
import org.jspecify.annotations.Nullable;

/**
 * Decodes specs and commands. Few bytes can declare many parameters, so they are counted before
 * memory is allocated for them. Not thread-safe.
 */
public final class ControlReader {

    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutCommandRecord> commands =
            WireCodec.of(RolloutCommandRecord.class);

    private final long maxPolicyBytes;

    /**
     * @param maxPolicyBytes limit on the parameters of one policy
     */
    public ControlReader(long maxPolicyBytes) {
        this.maxPolicyBytes = maxPolicyBytes;
    }

    public LoopSpec spec(LoopEvent event) throws RefusedEventException {
        return read(event, specs, this::specOf, RefusalReason.SPEC);
    }

    public RolloutCommand command(LoopEvent event) throws RefusedEventException {
        return read(event, commands, this::commandOf, RefusalReason.COMMAND);
    }

    private LoopSpec specOf(LoopSpecRecord record) {
        requireRoom("startingPolicy", record.getStartingPolicy());
        return LoopSpecConversion.fromRecord(record);
    }

    private RolloutCommand commandOf(RolloutCommandRecord record) {
        requireRoom("snapshot", record.getSnapshot());
        return RolloutCommandConversion.fromRecord(record);
    }

    private void requireRoom(String field, @Nullable PolicySnapshotRecord policy) {
        if (policy != null) {
            long bytes = SnapshotConversion.parameterCount(policy) * Float.BYTES;
            Require.that(
                    bytes <= maxPolicyBytes,
                    "%s must have at most %d bytes of parameters (loop.max-loop-size), got %d",
                    field,
                    maxPolicyBytes,
                    bytes);
        }
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
