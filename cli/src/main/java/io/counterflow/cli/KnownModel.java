package io.counterflow.cli;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.schemas.PolicySnapshot;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalDouble;

/** A policy that a snapshot file gives. */
record KnownModel(Path file, PolicySnapshot snapshot) {

    /** Reads and verifies a snapshot; what is wrong with it is the user's to know. */
    static KnownModel read(Path file) {
        try {
            return new KnownModel(file, SnapshotFile.read(file));
        } catch (InvalidSnapshotException e) {
            throw new BadInputException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    LinearModel model() {
        return snapshot.model();
    }

    Optional<EncoderSpec> encoder() {
        return snapshot.encoder();
    }

    OptionalDouble normBound() {
        return snapshot.normBound();
    }
}
