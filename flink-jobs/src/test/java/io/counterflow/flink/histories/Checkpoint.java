package io.counterflow.flink.histories;

import io.counterflow.flink.event.LoopEvent;
import io.counterflow.flink.sinks.OutgoingRecord;
import io.counterflow.schemas.record.DeadLetterRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.KeyGroupRange;

/**
 * A checkpoint: positions, state, the output of its transactions, and what the operators had taken
 * until then, which the models need.
 */
final class Checkpoint {

    /** What reached the join, with the watermark of its key group at that time. */
    record Arrival(Sent sent, long watermarkMs) {}

    /** What reached the operator of loops. */
    sealed interface LoopInput permits Taken, Clock, Started {}

    record Taken(Sent sent, LoopEvent event) implements LoopInput {}

    /** Processing time of the loops in these key groups. */
    record Clock(KeyGroupRange keyGroups, long nowMs) implements LoopInput {}

    record Started(long nowMs) implements LoopInput {}

    /** What the job writes to Kafka. */
    record Written(
            List<OutgoingRecord> results,
            List<DeadLetterRecord> late,
            List<DeadLetterRecord> deadLetters,
            List<OutgoingRecord> counts) {

        Written() {
            this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        }

        void add(Written more) {
            results.addAll(more.results);
            late.addAll(more.late);
            deadLetters.addAll(more.deadLetters);
            counts.addAll(more.counts);
        }

        /** Returns what it has, and empties it. */
        Written take() {
            Written taken = new Written();
            taken.add(this);
            results.clear();
            late.clear();
            deadLetters.clear();
            counts.clear();
            return taken;
        }
    }

    private final long number;
    private final int[] positions; // by source
    private final OperatorSubtaskState[] joins;
    private final OperatorSubtaskState[] loops;
    private final long[] reachedMs; // by key group: the watermark of the join
    private final Written written = new Written();
    private final List<Arrival> arrivals;
    private final List<LoopInput> loopInputs;
    private int missing;
    private boolean committed;

    Checkpoint(
            long number,
            int sources,
            int joins,
            int loops,
            long[] reachedMs,
            List<Arrival> arrivals,
            List<LoopInput> loopInputs) {
        this.number = number;
        this.positions = new int[sources];
        this.joins = new OperatorSubtaskState[joins];
        this.loops = new OperatorSubtaskState[loops];
        this.reachedMs = Arrays.copyOf(reachedMs, reachedMs.length);
        this.arrivals = new ArrayList<>(arrivals);
        this.loopInputs = new ArrayList<>(loopInputs);
        this.missing = sources + joins + loops;
    }

    long number() {
        return number;
    }

    void addSource(int source, int position, Written since) {
        positions[source] = position;
        written.add(since);
        missing--;
    }

    void addJoin(
            int subtask,
            OperatorSubtaskState state,
            KeyGroupRange keyGroups,
            long watermarkMs,
            List<Arrival> since,
            Written output) {
        joins[subtask] = state;
        for (int group : keyGroups) {
            reachedMs[group] = Math.max(reachedMs[group], watermarkMs);
        }
        arrivals.addAll(since);
        written.add(output);
        missing--;
    }

    void addLoops(int subtask, OperatorSubtaskState state, List<LoopInput> since, Written output) {
        loops[subtask] = state;
        loopInputs.addAll(since);
        written.add(output);
        missing--;
    }

    boolean isComplete() {
        return missing == 0;
    }

    int position(int source) {
        return positions[source];
    }

    Subtask.Stored joins() throws Exception {
        return Subtask.Stored.of(joins);
    }

    Subtask.Stored loops() throws Exception {
        return Subtask.Stored.of(loops);
    }

    long[] reachedMs() {
        return reachedMs;
    }

    Written written() {
        return written;
    }

    List<Arrival> arrivals() {
        return arrivals;
    }

    List<LoopInput> loopInputs() {
        return loopInputs;
    }

    boolean isCommitted() {
        return committed;
    }

    void commit() {
        committed = true;
    }
}
