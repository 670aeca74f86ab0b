package io.counterflow.flink.join;

import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;

/**
 * The highest watermark that the operator has seen, including before restarts.
 *
 * <p>Flink does not restore watermarks. After a restart, a duplicate of an impression whose window
 * has closed would otherwise look like a new one until the sources emit watermarks.
 */
final class ReachedWatermark {

    private static final String STATE = "reached-watermark";

    private final ListState<Long> stored;
    private long reachedMs = Long.MIN_VALUE;

    /**
     * Restores it. The watermark of each subtask holds for all sources, so after a change of
     * parallelism the highest one holds for all subtasks.
     */
    ReachedWatermark(OperatorStateStore store) throws Exception {
        stored = store.getUnionListState(new ListStateDescriptor<>(STATE, Types.LONG));
        for (long restoredMs : stored.get()) {
            reachedMs = Math.max(reachedMs, restoredMs);
        }
    }

    /** The highest watermark so far, given the current one. */
    long at(long currentMs) {
        reachedMs = Math.max(reachedMs, currentMs);
        return reachedMs;
    }

    void snapshot() throws Exception {
        stored.update(List.of(reachedMs));
    }
}
