package io.counterflow.flink.ingest;

/** A valid record of a source, with its event time and its original bytes. */
public interface IngestedEvent {

    /** Its kind; metrics count events by it. */
    Enum<?> kind();

    /** Event time, in microseconds since 1970. */
    long timeMicros();

    RawRecord raw();

    /** Event time in milliseconds, as Flink counts time. */
    default long timeMs() {
        return Math.floorDiv(timeMicros(), 1_000L);
    }
}
