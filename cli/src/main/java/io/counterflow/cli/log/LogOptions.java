package io.counterflow.cli.log;

import io.counterflow.cli.console.Ranges;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The log to learn from or to evaluate on. A picocli mixin. */
public final class LogOptions extends LogFiles {

    @Option(
            names = "--norm-bound",
            paramLabel = "B",
            converter = Ranges.Positive.class,
            description =
                    "Scale longer feature vectors down to this norm. Default: no scaling; B is measured.")
    private @Nullable Double normBound;

    @Nullable Double normBound() {
        return normBound;
    }
}
