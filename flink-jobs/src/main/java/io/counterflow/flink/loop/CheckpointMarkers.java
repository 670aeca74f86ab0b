package io.counterflow.flink.loop;

import io.counterflow.flink.sinks.CheckpointGuard;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.schemas.record.CheckpointMarkerRecord;
import io.counterflow.schemas.wire.WireCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;

/**
 * Marks in Kafka which checkpoint the results of a subtask belong to. The marker of a checkpoint is
 * in the transaction that is committed with it. After a restart, marker and state must agree.
 */
final class CheckpointMarkers {

    private static final String STATE = "checkpoint-markers";

    private final int subtask;
    private final String deployment;
    private final String topic;
    private final CheckpointGuard guard;
    private final ListState<Tuple2<Integer, Long>> stored;
    private final WireCodec<CheckpointMarkerRecord> codec =
            WireCodec.of(CheckpointMarkerRecord.class);
    private final Map<Integer, Long> unchecked = new TreeMap<>(); // by subtask
    private long latest; // the newest marker; 0 for none

    /**
     * The first subtask checks the markers of all.
     *
     * @param mayRepeat whether a run without state may write results again, like a second replay
     */
    CheckpointMarkers(
            StateInitializationContext context,
            int subtask,
            String deployment,
            String topic,
            CheckpointGuard guard,
            boolean mayRepeat)
            throws Exception {
        this.subtask = subtask;
        this.deployment = deployment;
        this.topic = topic;
        this.guard = guard;
        this.stored =
                context.getOperatorStateStore()
                        .getUnionListState(
                                new ListStateDescriptor<>(
                                        STATE, Types.TUPLE(Types.INT, Types.LONG)));
        if (subtask == 0 && !context.isRestored() && !mayRepeat) {
            guard.requireNothingCommitted();
        }
        for (Tuple2<Integer, Long> marker : stored.get()) {
            latest = Math.max(latest, marker.f1);
            if (subtask == 0) {
                unchecked.put(marker.f0, marker.f1);
            }
        }
    }

    /**
     * The marker of a checkpoint. Before the first one, markers are compared with the restored
     * state: its transactions are committed when all tasks run, and only then do checkpoints start.
     */
    OutgoingRecord before(long checkpoint) {
        requireCommitted();
        return marker(checkpoint);
    }

    /**
     * The marker of the last results. The sink takes no record after the end of the input, so it is
     * written before the number of the last checkpoint is known. That number is higher than the one
     * before, and no other marker gets this number.
     */
    OutgoingRecord atEndOfInput() {
        return marker(latest + 1);
    }

    /** Compares markers with the restored state, once. */
    void requireCommitted() {
        if (!unchecked.isEmpty()) {
            guard.requireCommitted(unchecked);
            unchecked.clear();
        }
    }

    private OutgoingRecord marker(long checkpoint) {
        latest = checkpoint;
        return new OutgoingRecord(
                topic,
                "%s/%d".formatted(deployment, subtask).getBytes(StandardCharsets.UTF_8),
                codec.encode(new CheckpointMarkerRecord(deployment, subtask, checkpoint)));
    }

    /** Stores the newest marker. */
    void snapshot() throws Exception {
        stored.update(latest == 0 ? List.of() : List.of(Tuple2.of(subtask, latest)));
    }
}
