package io.counterflow.client.policies;

import java.time.Instant;
import java.util.Optional;

/**
 * A published version, with or without its weights.
 *
 * @param checksum of its record
 * @param createdAt event time at which it was frozen
 * @param parameterBytes what its weights take in memory, at most
 * @param description the snapshot without its weights
 * @param place its place on the topic, if it can be read again
 */
public record KnownVersion(
        long version,
        String checksum,
        Instant createdAt,
        long parameterBytes,
        SnapshotDescription description,
        Optional<Place> place) {

    /** A place on a topic. */
    public record Place(int partition, long offset) {}

    KnownVersion at(Place newPlace) {
        return new KnownVersion(
                version, checksum, createdAt, parameterBytes, description, Optional.of(newPlace));
    }
}
