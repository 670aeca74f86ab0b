package io.counterflow.flink.sinks;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Computes the Kafka key of a record.
 *
 * @param <T> the record class
 */
@FunctionalInterface
interface RecordKey<T> extends Serializable {

    /** The key; null for none. */
    byte @Nullable [] of(T record);
}
