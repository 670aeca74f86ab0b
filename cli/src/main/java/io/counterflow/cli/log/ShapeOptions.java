package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Ranges;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The shape of a model without a snapshot. A picocli mixin. */
public final class ShapeOptions {

    @Option(
            names = "--actions",
            paramLabel = "K",
            converter = Ranges.Count.class,
            description =
                    "Number of actions of a dense log. Default: derived from the largest action and "
                            + "the longest distribution in the log.")
    private @Nullable Integer actions;

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

    public @Nullable Integer actions() {
        return actions;
    }

    public EncoderSpec encoder() {
        if (interactions.isEmpty()) {
            return BadInputException.ifRefused("--bits", () -> EncoderSpec.ofBits(bits));
        }
        List<Interaction> parsed = new ArrayList<>();
        for (String text : interactions) {
            parsed.add(
                    BadInputException.ifRefused("--interactions", () -> Interaction.parse(text)));
        }
        return BadInputException.ifRefused("--bits", () -> new EncoderSpec(bits, parsed, true));
    }
}
