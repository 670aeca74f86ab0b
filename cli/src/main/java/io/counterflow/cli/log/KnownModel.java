package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.snapshot.InvalidSnapshotException;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** The policy of a snapshot file. */
public record KnownModel(Path file, PolicySnapshot snapshot) {

    /** Reads and verifies a snapshot. */
    public static KnownModel read(Path file) {
        try {
            return new KnownModel(file, SnapshotFile.read(file));
        } catch (InvalidSnapshotException e) {
            throw new BadInputException(String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Requires another snapshot to have the same kind and size of model. */
    public void requireSameShape(KnownModel other) {
        boolean same =
                model().getClass() == other.model().getClass()
                        && model().weightCount() == other.model().weightCount()
                        && model().biasCount() == other.model().biasCount()
                        && snapshot.encoder().equals(other.snapshot.encoder());
        if (!same) {
            throw new BadInputException(
                    "%s does not match %s: one is a %s, the other a %s"
                            .formatted(file, other.file, model(), other.model()));
        }
    }

    public LinearModel model() {
        return snapshot.model();
    }
}
