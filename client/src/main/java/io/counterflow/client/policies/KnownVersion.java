package io.counterflow.client.policies;

import java.time.Instant;
import java.util.Optional;

/**
 * A published version, with or without its weights.
 *
 * @param checksum of its content
 * @param createdAt event time at which it was frozen
 * @param json the snapshot as JSON, without its weights
 * @param place its place on the topic, if it can be read again
 */
public record KnownVersion(
        long version, String checksum, Instant createdAt, String json, Optional<Place> place) {

    /** A place on a topic. */
    public record Place(int partition, long offset) {}
}
