package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Output;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.Impression;
import io.counterflow.core.log.LoggedExample;
import java.time.Instant;
import java.util.BitSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the examples of one loop from log files into memory. */
final class LogLoader {

    private final LogOptions options;
    private final Output output;
    private final Consumer<Impression> observer;
    private final LogShape shape;

    private final ExampleLog examples = new ExampleLog();
    private final BitSet missingPropensities = new BitSet();
    private @Nullable String loop;
    private Instant latest = Instant.MIN;

    /**
     * @param observer receives the impression of each example, in their order; must accept it
     */
    LogLoader(
            LogOptions options,
            Optional<KnownModel> known,
            Output output,
            Consumer<Impression> observer) {
        this.options = options;
        this.output = output;
        this.observer = observer;
        this.shape = new LogShape(options, known);
        this.loop = options.loop;
    }

    LoadedLog load() {
        return loaded(options.read(output, this::take, this::advice));
    }

    /** If not even the first impression matches the snapshot, skipping does not help. */
    private String advice() {
        return shape.isGiven() && shape.isEmpty()
                ? " (no impression before it matches the snapshot)"
                : LogInput.SKIP_BAD_ADVICE;
    }

    private void take(Impression impression) {
        if (loop == null) {
            loop = impression.loop();
        } else if (!loop.equals(impression.loop())) {
            if (options.loop == null) {
                throw new BadInputException(
                        "the log has several loops, \"%s\" and \"%s\"; choose one with --loop"
                                .formatted(loop, impression.loop()));
            }
            return;
        }
        if (impression.reward().isEmpty()) {
            throw new IllegalArgumentException("reward must be given, and is missing");
        }
        Features features = shape.features(impression);
        OptionalDouble propensity = impression.choice().propensity();
        missingPropensities.set(examples.size(), propensity.isEmpty());
        examples.add(
                new LoggedExample(
                        features,
                        impression.choice().allowed(),
                        impression.choice().action(),
                        propensity.orElse(1.0),
                        impression.reward().getAsDouble(),
                        impression.loggedBy()));
        latest = impression.time().isAfter(latest) ? impression.time() : latest;
        observer.accept(impression);
    }

    private LoadedLog loaded(long skipped) {
        if (loop == null || shape.isEmpty()) {
            throw new BadInputException(
                    options.loop == null
                            ? "the log has no usable impressions"
                            : "the log has no usable impressions of the loop \"%s\""
                                    .formatted(options.loop));
        }
        return new LoadedLog(
                loop,
                examples,
                missingPropensities,
                shape.zeros(),
                shape.encoder(),
                shape.normBound(),
                latest,
                skipped);
    }
}
