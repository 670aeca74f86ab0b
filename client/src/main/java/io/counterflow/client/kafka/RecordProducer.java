package io.counterflow.client.kafka;

import io.counterflow.schemas.topics.Topic;
import java.util.concurrent.CompletableFuture;

/** Writes records to topics. */
@FunctionalInterface
public interface RecordProducer {

    /**
     * Writes a record without blocking.
     *
     * @return succeeds when the record is acknowledged, and fails when it is not in time
     */
    CompletableFuture<Void> append(Topic topic, String key, byte[] value);
}
