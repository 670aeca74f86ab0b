package io.counterflow.client.kafka;

import io.counterflow.schemas.topics.Topic;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** Writes records to topics. */
@FunctionalInterface
public interface RecordProducer {

    /**
     * Writes a record without blocking.
     *
     * @param time decides the partition, if the topic is keyed by event id: records of the same
     *     millisecond are in the same one
     * @return succeeds when the record is acknowledged, and fails when it is not in time
     */
    CompletableFuture<Void> append(Topic topic, String key, Instant time, byte[] value);
}
