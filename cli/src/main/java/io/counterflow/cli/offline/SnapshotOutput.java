package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.schemas.snapshot.SnapshotFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where a learned policy is written. A picocli mixin. */
final class SnapshotOutput {

    @Option(
            names = "--out",
            required = true,
            paramLabel = "SNAPSHOT",
            description = "Where to write the learned policy.")
    private Path file = Path.of("");

    Path file() {
        return file;
    }

    /** Refuses a place that cannot be written to, before hours are spent on what goes there. */
    void requireWritable() {
        if (Files.isDirectory(file)) {
            throw new BadInputException("--out must be a file, got the folder " + file);
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new BadInputException(
                    "--out must be in a folder that exists, got " + file + "; create the folder");
        }
        if (!Files.isWritable(folder)) {
            throw new BadInputException("--out must be in a folder you can write to, got " + file);
        }
    }

    void write(PolicySnapshot snapshot) throws IOException {
        SnapshotFile.write(file, snapshot);
    }
}
