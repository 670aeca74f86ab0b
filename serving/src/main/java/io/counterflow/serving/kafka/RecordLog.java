package io.counterflow.serving.kafka;

import io.counterflow.schemas.topics.Topic;
import io.vertx.core.Future;

/** Where records are written. */
@FunctionalInterface
public interface RecordLog {

    /**
     * Writes a record; never blocks.
     *
     * @return succeeds when the record is there to stay, and fails when it could not be written in
     *     time
     */
    Future<Void> append(Topic topic, String key, byte[] value);
}
