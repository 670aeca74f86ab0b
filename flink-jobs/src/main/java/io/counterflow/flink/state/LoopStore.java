package io.counterflow.flink.state;

/**
 * Where the values of loops are kept when they are not at hand. It sets the state backend's current
 * key itself: the loop that is written is seldom the one whose element is being processed.
 *
 * @param <V> what is kept of a loop
 */
public interface LoopStore<V> {

    /** What is kept of a loop; a fresh value where there is nothing yet. */
    V load(String loop) throws Exception;

    /** Keeps it. Called for values that were marked as changed since they were loaded or kept. */
    void write(String loop, V value) throws Exception;

    /**
     * How much heap it takes, in bytes, about. Asked whenever it has changed, so it must be quick.
     */
    long weigh(V value);
}
