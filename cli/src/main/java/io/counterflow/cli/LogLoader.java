package io.counterflow.cli;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.schemas.Impression;
import io.counterflow.schemas.log.BadLineException;
import io.counterflow.schemas.log.BadLines;
import io.counterflow.schemas.log.LogFormat;
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

/** Reads log files into memory, as examples of one loop in one shape. */
final class LogLoader {

    /** Broken lines that are named one by one; the rest is only counted. */
    private static final int NAMED_BAD_LINES = 5;

    private final LogOptions options;
    private final Output output;
    private final LogShape shape;

    private final ExampleLog examples = new ExampleLog();
    private final BitSet missingPropensities = new BitSet();
    private @Nullable String loop;
    private Instant latest = Instant.MIN;

    /**
     * @param known the snapshot whose model the examples must fit, if there is one
     */
    LogLoader(
            LogOptions options,
            ShapeOptions shapeOptions,
            Optional<KnownModel> known,
            Output output) {
        this.options = options;
        this.output = output;
        this.shape = new LogShape(shapeOptions, known, options.normBound());
        this.loop = options.loop();
    }

    LoadedLog load() {
        options.files().forEach(LogLoader::requireLogFile);
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
            throw new BadInputException(e.getMessage() + advice(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (badLines.skipped() > 0) {
            named.forEach(line -> output.note("skipped: " + line.getMessage()));
            output.warn(
                    "skipped " + Figures.count(badLines.skipped(), "broken line", "broken lines"));
        }
        return loaded(badLines.skipped());
    }

    private static void requireLogFile(Path file) {
        BadInputException.ifRefused("--log", () -> LogFormat.of(file));
        if (Files.isDirectory(file)) {
            throw new BadInputException("--log must be files, got the folder " + file);
        }
    }

    /** Where not even the first impression fits a snapshot, skipping would leave nothing. */
    private String advice() {
        return shape.isGiven() && shape.isEmpty()
                ? " (no impression before it fits the snapshot)"
                : " (--skip-bad skips such lines)";
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
        Features features = shape.features(impression);
        OptionalDouble propensity = impression.choice().propensity();
        missingPropensities.set(examples.size(), propensity.isEmpty());
        examples.add(
                new LoggedExample(
                        features,
                        impression.choice().action(),
                        propensity.orElse(1.0),
                        impression.reward().getAsDouble(),
                        impression.policyVersion()));
        latest = impression.time().isAfter(latest) ? impression.time() : latest;
    }

    private LoadedLog loaded(long skipped) {
        if (loop == null || shape.isEmpty()) {
            throw new BadInputException(
                    options.loop() == null
                            ? "the log has no usable impressions"
                            : "the log has no usable impressions of the loop \"%s\""
                                    .formatted(options.loop()));
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
