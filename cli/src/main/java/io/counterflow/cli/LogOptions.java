package io.counterflow.cli;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which log to read, and how strictly. A picocli mixin. */
final class LogOptions {

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
            description = "Take only this loop's impressions. Needed when the log holds several.")
    private @Nullable String loop;

    @Option(
            names = "--skip-bad",
            description = "Skip and count broken lines instead of stopping at the first.")
    private boolean skipBad;

    @Option(
            names = "--norm-bound",
            paramLabel = "B",
            converter = Ranges.Positive.class,
            description =
                    "Scale longer feature vectors down to this norm. Without it, B is measured.")
    private @Nullable Double normBound;

    List<Path> files() {
        return files;
    }

    @Nullable String loop() {
        return loop;
    }

    boolean skipBad() {
        return skipBad;
    }

    @Nullable Double normBound() {
        return normBound;
    }
}
