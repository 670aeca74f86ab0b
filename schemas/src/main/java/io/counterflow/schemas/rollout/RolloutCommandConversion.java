package io.counterflow.schemas.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopName;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.record.RolloutActionRecord;
import io.counterflow.schemas.record.RolloutCommandRecord;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.wire.KnownConstant;
import io.counterflow.schemas.wire.Optionals;
import java.time.Instant;
import java.util.Optional;

/** Converts rollout commands to records and back. Both directions have the same checks. */
public final class RolloutCommandConversion {

    /** Maximum length of the identity of a command or person, in characters. */
    public static final int MAX_NAME = 200;

    /** Maximum length of a reason, in characters. */
    public static final int MAX_REASON = 2_000;

    private RolloutCommandConversion() {}

    /**
     * The record of a command.
     *
     * @param commandId identity of the command, by which duplicates are dropped
     * @param time time of the request, which orders it among the events of the loop
     * @param requestedBy name of the person; may be empty
     */
    public static RolloutCommandRecord toRecord(
            RolloutCommand command,
            String commandId,
            String loop,
            Instant time,
            String requestedBy) {
        RolloutCommandRecord record = new RolloutCommandRecord();
        record.setCommandId(commandId);
        record.setLoop(loop);
        record.setTime(time);
        record.setAction(RolloutActionRecord.valueOf(command.action().name()));
        record.setVersion(Optionals.orNull(command.version()));
        record.setShare(Optionals.orNull(command.share()));
        record.setSnapshot(command.snapshot().map(SnapshotConversion::toRecord).orElse(null));
        record.setRequestedBy(requestedBy);
        record.setReason(command.reason());
        require(record);
        return record;
    }

    /**
     * The command of a record. If it is invalid, an {@link IllegalArgumentException} names the
     * field.
     */
    public static RolloutCommand fromRecord(RolloutCommandRecord record) {
        require(record);
        return new RolloutCommand(
                KnownConstant.of(RolloutCommand.Action.class, "action", record.getAction()),
                Optionals.of(record.getVersion()),
                Optionals.of(record.getShare()),
                Optional.ofNullable(record.getSnapshot()).map(RolloutCommandConversion::snapshot),
                record.getReason());
    }

    private static PolicySnapshot snapshot(PolicySnapshotRecord record) {
        try {
            return SnapshotConversion.fromRecord(record);
        } catch (InvalidSnapshotException e) {
            throw new IllegalArgumentException("snapshot is invalid: " + e.getMessage(), e);
        }
    }

    private static void require(RolloutCommandRecord record) {
        LoopName.require(record.getLoop());
        Require.notEmpty(record.getCommandId(), "commandId");
        requireLength("commandId", record.getCommandId(), MAX_NAME);
        requireLength("requestedBy", record.getRequestedBy(), MAX_NAME);
        requireLength("reason", record.getReason(), MAX_REASON);
        if (record.getVersion() != null) {
            Require.atLeast(0, record.getVersion(), "version");
        }
    }

    private static void requireLength(String field, String text, int most) {
        if (text.length() > most) {
            throw new IllegalArgumentException(
                    "%s must be at most %d characters, got %d"
                            .formatted(field, most, text.length()));
        }
    }
}
