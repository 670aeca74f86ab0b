package io.counterflow.cli.log;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The log files to read. A picocli mixin. */
public class LogFiles {

    @Option(
            names = "--log",
            required = true,
            arity = "1..*",
            paramLabel = "FILE",
            description = "Log files: .jsonl, .jsonl.gz or .avro.")
    private List<Path> files = List.of();

    @Option(
            names = "--loop",
            paramLabel = "NAME",
            description = "Read only the impressions of this loop.")
    private @Nullable String loop;

    @Option(
            names = "--skip-bad",
            description = "Skip and count bad lines. Default: fail at the first one.")
    private boolean skipBad;

    List<Path> files() {
        return files;
    }

    public @Nullable String loop() {
        return loop;
    }

    boolean skipBad() {
        return skipBad;
    }
}
