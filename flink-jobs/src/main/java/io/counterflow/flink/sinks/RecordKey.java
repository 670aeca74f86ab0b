package io.counterflow.flink.sinks;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What a record's key in Kafka is.
 *
 * @param <T> the record
 */
@FunctionalInterface
public interface RecordKey<T> extends Serializable {

    /** The key; null for none. */
    byte @Nullable [] of(T record);
}
