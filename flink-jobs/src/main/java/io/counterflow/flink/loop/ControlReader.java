package io.counterflow.flink.loop;

import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.record.LoopSpecRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.wire.LoopSpecConversion;
import io.counterflow.schemas.wire.RolloutCommandConversion;
import io.counterflow.schemas.wire.UndecodableRecordException;
import io.counterflow.schemas.wire.WireCodec;
import java.util.Objects;

/** Reads specs and commands. Belongs to one thread at a time. */
final class ControlReader {

    private final WireCodec<LoopSpecRecord> specs = WireCodec.of(LoopSpecRecord.class);
    private final WireCodec<RolloutCommandRecord> commands =
            WireCodec.of(RolloutCommandRecord.class);

    LoopSpec spec(LoopEvent event) throws RefusedEventException {
        try {
            return LoopSpecConversion.fromRecord(
                    specs.decode(Objects.requireNonNull(event.raw().value())));
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            throw new RefusedEventException(LoopRule.SPEC, String.valueOf(e.getMessage()));
        }
    }

    RolloutCommand command(LoopEvent event) throws RefusedEventException {
        try {
            return RolloutCommandConversion.fromRecord(
                    commands.decode(Objects.requireNonNull(event.raw().value())));
        } catch (UndecodableRecordException | IllegalArgumentException e) {
            throw new RefusedEventException(LoopRule.COMMAND, String.valueOf(e.getMessage()));
        }
    }
}
