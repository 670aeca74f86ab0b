package io.counterflow.cli.log;

import io.counterflow.cli.console.Output;
import io.counterflow.core.log.Impression;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
    @Nullable String loop;

    @Option(
            names = "--skip-bad",
            description = "Skip and count bad lines. Default: fail at the first one.")
    private boolean skipBad;

    /** Reads the impressions of the chosen loop; returns the number of skipped bad lines. */
    public long read(Output output, Consumer<Impression> taker) {
        return new LogInput(files, skipBad)
                .read(
                        output,
                        impression -> {
                            if (loop == null || loop.equals(impression.loop())) {
                                taker.accept(impression);
                            }
                        });
    }

    /**
     * Reads the impressions of all loops.
     *
     * @param taker receives each impression; an IllegalArgumentException makes it a bad line
     * @param advice text to add to the message if a bad line ends the reading
     * @return the number of skipped bad lines
     */
    long read(Output output, Consumer<Impression> taker, Supplier<String> advice) {
        return new LogInput(files, skipBad).read(output, taker, advice);
    }
}
