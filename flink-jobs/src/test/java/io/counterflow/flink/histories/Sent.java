package io.counterflow.flink.histories;

import io.counterflow.flink.Feedback;
import io.counterflow.flink.ingest.RawRecord;
import io.counterflow.schemas.topics.Topic;
import org.jspecify.annotations.Nullable;

/**
 * A record on a topic.
 *
 * @param appendedMs Kafka's timestamp, in milliseconds after {@link Feedback#START}
 * @param value its bytes; null for a tombstone
 */
@SuppressWarnings("ArrayRecordComponent") // they are not compared
record Sent(
        Topic topic,
        int partition,
        long offset,
        long appendedMs,
        Meaning meaning,
        byte[] key,
        byte @Nullable [] value) {

    /** Where it lies. */
    Place place() {
        return new Place(topic, partition, offset);
    }

    /** The record as a source of the job gets it. */
    RawRecord raw() {
        return new RawRecord(
                topic.suffix(), partition, offset, Feedback.at(appendedMs), key, value);
    }

    @Override
    public String toString() {
        return "%s, appended at %d ms: %s".formatted(place(), appendedMs, meaning);
    }

    /** A place in Kafka. */
    record Place(Topic topic, int partition, long offset) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            return toString().compareTo(other.toString());
        }

        @Override
        public String toString() {
            return topic.suffix() + "-" + partition + "@" + offset;
        }
    }
}
