package io.counterflow.client.kafka;

import io.counterflow.schemas.topics.Topic;
import java.util.concurrent.CompletableFuture;

/** Where records are written. */
@FunctionalInterface
public interface RecordProducer {

    /**
     * Writes a record; never blocks.
     *
     * @return succeeds when the record is there to stay, and fails when it could not be written in
     *     time
     */
    CompletableFuture<Void> append(Topic topic, String key, byte[] value);
}
