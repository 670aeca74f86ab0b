package io.counterflow.cli;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.features.NormBound;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.schemas.Impression;
import io.counterflow.schemas.log.BadLineException;
import io.counterflow.schemas.log.BadLines;
import io.counterflow.schemas.log.LogReader;
import io.counterflow.schemas.log.ReadProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Reads log files into memory, as examples of one loop in the shape of one model. */
final class LogLoader {

    /** Broken lines that are named one by one; the rest is only counted. */
    private static final int NAMED_BAD_LINES = 5;

    private final LogOptions options;
    private final Output output;
    private final @Nullable LinearModel model;
    private final EncoderSpec encoderSpec;
    private final HashedEncoder encoder;
    private final List<NamedAction> fixedActions;
    private final @Nullable Integer actions;
    private final @Nullable NormBound normBound;

    private final ExampleLog examples = new ExampleLog();
    private final BitSet missingPropensities = new BitSet();
    private @Nullable String loop;
    private @Nullable Features first;
    private int mostActions = 1;
    private Instant latest = Instant.MIN;

    /**
     * @param known the snapshot whose model the examples must fit, if there is one
     */
    LogLoader(LogOptions options, ShapeOptions shape, Optional<KnownModel> known, Output output) {
        this.options = options;
        this.output = output;
        this.model = known.map(KnownModel::model).orElse(null);
        this.encoderSpec = known.flatMap(KnownModel::encoder).orElseGet(shape::encoder);
        this.encoder = new HashedEncoder(encoderSpec);
        this.actions = shape.actions();
        this.fixedActions = numbered(actions == null ? 0 : actions);
        this.loop = options.loop();
        this.normBound = normBound(options, known);
    }

    /** A snapshot's bound wins: the policy was learned, and is served, with it. */
    private static @Nullable NormBound normBound(LogOptions options, Optional<KnownModel> known) {
        OptionalDouble ofSnapshot = known.map(KnownModel::normBound).orElse(OptionalDouble.empty());
        Double asked = options.normBound();
        if (ofSnapshot.isPresent()) {
            if (asked != null && asked != ofSnapshot.getAsDouble()) {
                throw new BadInputException(
                        "--norm-bound must be the snapshot's, %s, got %s"
                                .formatted(ofSnapshot.getAsDouble(), asked));
            }
            return new NormBound(ofSnapshot.getAsDouble());
        }
        return asked == null
                ? null
                : BadInputException.ifRefused("--norm-bound", () -> new NormBound(asked));
    }

    private static List<NamedAction> numbered(int actions) {
        List<NamedAction> numbered = new ArrayList<>();
        for (int action = 0; action < actions; action++) {
            numbered.add(new NamedAction(Integer.toString(action), NamedFeatures.none()));
        }
        return numbered;
    }

    LoadedLog load() {
        List<BadLineException> named = new ArrayList<>();
        BadLines badLines =
                options.skipBad()
                        ? BadLines.skip(
                                line -> {
                                    if (named.size() < NAMED_BAD_LINES) {
                                        named.add(line);
                                    }
                                })
                        : BadLines.fail();
        try (Progress progress = output.progress("reading", "kB", totalBytes() / 1000)) {
            for (Path file : options.files()) {
                read(file, badLines, progress);
            }
        } catch (BadLineException e) {
            throw new BadInputException(e.getMessage() + " (--skip-bad skips such lines)", e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (badLines.skipped() > 0) {
            named.forEach(line -> output.note("skipped: " + line.getMessage()));
            output.warn("skipped " + badLines.skipped() + " broken lines");
        }
        return loaded(badLines.skipped());
    }

    private long totalBytes() throws IOException {
        long total = 0;
        for (Path file : options.files()) {
            total += Files.size(file);
        }
        return total;
    }

    private void read(Path file, BadLines badLines, Progress progress) throws IOException {
        long[] toldKb = new long[1];
        ReadProgress told =
                (bytesRead, totalBytes) -> {
                    progress.advance(bytesRead / 1000 - toldKb[0]);
                    toldKb[0] = bytesRead / 1000;
                };
        try (LogReader reader = LogReader.open(file, badLines, told)) {
            while (reader.hasNext()) {
                Impression impression = reader.next();
                try {
                    take(impression);
                } catch (IllegalArgumentException e) {
                    reader.refuse(e);
                }
            }
        }
    }

    private void take(Impression impression) {
        if (loop == null) {
            loop = impression.loop();
        } else if (!loop.equals(impression.loop())) {
            if (options.loop() == null) {
                throw new BadInputException(
                        "the log holds several loops, \"%s\" and \"%s\"; choose one with --loop"
                                .formatted(loop, impression.loop()));
            }
            return;
        }
        if (impression.reward().isEmpty()) {
            throw new IllegalArgumentException("reward must be given, and is missing");
        }
        Features features = bounded(impression.features(encoder::encode, fixedActions));
        requireSameShape(features);
        int action = impression.choice().action();
        requireKnownAction(features, action);
        OptionalDouble propensity = impression.choice().propensity();
        examples.add(
                new LoggedExample(
                        features,
                        action,
                        propensity.orElse(1.0),
                        impression.reward().getAsDouble(),
                        impression.policyVersion()));
        if (propensity.isEmpty()) {
            missingPropensities.set(examples.size() - 1);
        }
        if (first == null) {
            first = features;
        }
        mostActions =
                Math.max(
                        mostActions,
                        Math.max(action + 1, impression.choice().distribution().size()));
        latest = impression.time().isAfter(latest) ? impression.time() : latest;
    }

    private Features bounded(Features features) {
        return normBound == null ? features : normBound.enforce(features);
    }

    private void requireSameShape(Features features) {
        if (model != null) {
            model.scores(features, new double[model.actionCount(features)]);
        } else if (first instanceof FeatureVector known) {
            if (!(features instanceof FeatureVector x)) {
                throw new IllegalArgumentException(
                        "context must be a vector, as in the log's first impression");
            }
            if (x.dimension() != known.dimension()) {
                throw new IllegalArgumentException(
                        "context must have %d features, as in the log's first impression, got %d"
                                .formatted(known.dimension(), x.dimension()));
            }
        } else if (first != null && features instanceof FeatureVector) {
            throw new IllegalArgumentException(
                    "context must have named features, as in the log's first impression");
        }
    }

    private void requireKnownAction(Features features, int action) {
        int known =
                model != null
                        ? model.actionCount(features)
                        : actions != null && features instanceof FeatureVector
                                ? actions
                                : Integer.MAX_VALUE;
        if (action >= known) {
            throw new IllegalArgumentException(
                    "action must be below %d, got %d".formatted(known, action));
        }
    }

    private LoadedLog loaded(long skipped) {
        if (loop == null || first == null) {
            throw new BadInputException(
                    options.loop() == null
                            ? "the log has no usable impressions"
                            : "the log has no usable impressions of the loop \"%s\""
                                    .formatted(options.loop()));
        }
        boolean dense = first instanceof FeatureVector;
        return new LoadedLog(
                loop,
                examples,
                missingPropensities,
                model != null ? model.zeros() : shapeOf(first),
                dense ? Optional.empty() : Optional.of(encoderSpec),
                normBound == null ? OptionalDouble.empty() : OptionalDouble.of(normBound.value()),
                latest,
                skipped);
    }

    private LinearModel shapeOf(Features features) {
        if (features instanceof FeatureVector x) {
            return DenseModel.zeros(actions == null ? mostActions : actions, x.dimension());
        }
        return HashedModel.zeros(encoderSpec.bits());
    }
}
