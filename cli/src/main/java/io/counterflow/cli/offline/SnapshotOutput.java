package io.counterflow.cli.offline;

import io.counterflow.cli.console.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The output file of a learned policy. A picocli mixin. */
final class SnapshotOutput {

    @Option(
            names = "--out",
            required = true,
            paramLabel = "SNAPSHOT",
            description = "File to write the learned policy to.")
    Path file = Path.of("");

    /** Refuses a file that cannot be written, before long work starts. */
    void requireWritable() {
        if (Files.isDirectory(file)) {
            throw new BadInputException("--out must be a file, got the directory " + file);
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new BadInputException("--out must be in an existing directory, got " + file);
        }
        if (!Files.isWritable(directory)) {
            throw new BadInputException("--out must be in a writable directory, got " + file);
        }
    }
}
