package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Ranges;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.log.Impression;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The log to learn from or to evaluate on, and the shape of its model without a snapshot. A picocli
 * mixin.
 */
public final class LogOptions extends LogFiles {

    @Option(
            names = "--norm-bound",
            paramLabel = "B",
            converter = Ranges.Positive.class,
            description =
                    "Scale longer feature vectors down to this norm. Default: no scaling; B is measured.")
    @Nullable Double normBound;

    @Option(
            names = "--actions",
            paramLabel = "K",
            converter = Ranges.Count.class,
            description =
                    "Number of actions of a dense log. Default: derived from the largest action and "
                            + "the longest distribution in the log.")
    @Nullable Integer actions;

    @Option(
            names = "--bits",
            paramLabel = "B",
            description = "Hash named features into 2^B weights. Default: ${DEFAULT-VALUE}.")
    private int bits = EncoderSpec.DEFAULT_BITS;

    @Option(
            names = "--interactions",
            split = ",",
            paramLabel = "CONTEXT:ACTION",
            description =
                    "Pairs of namespaces whose features are multiplied; * is any namespace. Default: "
                            + "*:*.")
    private List<String> interactions = List.of();

    EncoderSpec encoder() {
        if (interactions.isEmpty()) {
            return BadInputException.ifRefused("--bits", () -> EncoderSpec.ofBits(bits));
        }
        List<Interaction> parsed =
                BadInputException.ifRefused(
                        "--interactions",
                        () -> interactions.stream().map(Interaction::parse).toList());
        return BadInputException.ifRefused("--bits", () -> new EncoderSpec(bits, parsed, true));
    }

    /**
     * Reads the examples of one loop into memory.
     *
     * @param known the snapshot that the examples must match, if any
     */
    public LoadedLog load(Optional<KnownModel> known, Output output) {
        return load(known, output, impression -> {});
    }

    /**
     * Reads the examples of one loop into memory.
     *
     * @param known the snapshot that the examples must match, if any
     * @param observer receives the impression of each example, in their order; must accept it
     */
    public LoadedLog load(
            Optional<KnownModel> known, Output output, Consumer<Impression> observer) {
        return new LogLoader(this, known, output, observer).load();
    }
}
