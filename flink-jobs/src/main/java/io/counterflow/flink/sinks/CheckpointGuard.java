package io.counterflow.flink.sinks;

import java.io.Serializable;
import java.util.Map;

/**
 * Compares the state of a job with what it has written. Both must be of the same checkpoint:
 * otherwise entries of the journal would be missing, or written a second time with other content.
 */
public interface CheckpointGuard extends Serializable {

    /**
     * Called before the first checkpoint of a job that continues from a stored state. All
     * transactions of that state have been committed by then, if that is possible.
     *
     * @param restored the checkpoint of each subtask that wrote the state
     * @throws RuntimeException if results of that checkpoint are missing, or later ones exist
     */
    void requireCommitted(Map<Integer, Long> restored);

    /**
     * Called at the start of a job without state.
     *
     * @throws RuntimeException if the job has written results before
     */
    void requireNothingCommitted();
}
