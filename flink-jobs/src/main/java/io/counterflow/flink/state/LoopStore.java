package io.counterflow.flink.state;

/**
 * Stores the values of loops that are not in memory. It sets the current key of the state backend
 * itself, because the loop that is written is usually not the loop of the current element.
 */
public interface LoopStore<V> {

    /** Loads the value of a loop; a new value if there is none. */
    V load(String loop) throws Exception;

    /** Stores a value. Called for values that have changed since they were loaded or stored. */
    void write(String loop, V value) throws Exception;

    /** Approximate heap of a value, in bytes. Called after every change, so it must be fast. */
    long weigh(V value);
}
