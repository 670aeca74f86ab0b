package io.counterflow.schemas.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.rollout.RegisteredPolicy;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Converts rollout commands to records and back. Both directions have the same checks. */
public final class RolloutCommandConversion {

    /** Maximum length of the identity of a command or person, in characters. */
    public static final int MAX_NAME = 200;

    /** Maximum length of a reason, in characters. */
    public static final int MAX_REASON = 2_000;

    /** Maximum length of the id of an action, in characters. */
    public static final int MAX_ACTION_ID = 1_000;

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
        command.policy().ifPresent(policy -> put(policy, record));
        record.setRequestedBy(requestedBy);
        record.setReason(command.reason());
        require(record);
        return record;
    }

    private static void put(RegisteredPolicy policy, RolloutCommandRecord record) {
        if (policy instanceof RegisteredPolicy.Snapshot it) {
            record.setSnapshot(SnapshotConversion.toRecord(it.snapshot()));
        } else if (policy instanceof RegisteredPolicy.GreedyOf greedy) {
            record.setGreedyOf(greedy.version());
        } else if (policy instanceof RegisteredPolicy.ConstantAction constant) {
            record.setConstantAction(constant.actionId());
        }
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
                policy(
                        Optional.ofNullable(record.getSnapshot())
                                .map(RolloutCommandConversion::snapshot),
                        Optionals.of(record.getGreedyOf()),
                        Optional.ofNullable(record.getConstantAction())),
                record.getReason());
    }

    /** The policy of the one field that is given; empty if none is. */
    public static Optional<RegisteredPolicy> policy(
            Optional<PolicySnapshot> snapshot,
            OptionalLong greedyOf,
            Optional<String> constantAction) {
        List<RegisteredPolicy> given = new ArrayList<>();
        snapshot.map(RegisteredPolicy.Snapshot::new).ifPresent(given::add);
        greedyOf.ifPresent(version -> given.add(new RegisteredPolicy.GreedyOf(version)));
        constantAction.map(RegisteredPolicy.ConstantAction::new).ifPresent(given::add);
        Require.that(
                given.size() <= 1,
                "only one of snapshot, greedyOf and constantAction must be present, got %d",
                given.size());
        return given.stream().findFirst();
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
        if (record.getConstantAction() != null) {
            requireLength("constantAction", record.getConstantAction(), MAX_ACTION_ID);
        }
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
