package io.counterflow.flink.ingest;

/** A valid record of a source, with its place in event time and the bytes that it came as. */
public interface IngestedEvent {

    /** What it says; events are counted by it. */
    Enum<?> kind();

    /** When it happened, in microseconds since 1970. */
    long timeMicros();

    /** Where it came from, and its bytes. */
    RawRecord raw();

    /** When it happened in milliseconds, as Flink counts time. */
    default long timeMs() {
        return Math.floorDiv(timeMicros(), 1_000L);
    }
}
