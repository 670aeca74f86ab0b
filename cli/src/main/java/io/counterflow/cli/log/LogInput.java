package io.counterflow.cli.log;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Output;
import io.counterflow.cli.console.Progress;
import io.counterflow.core.log.Impression;
import io.counterflow.schemas.log.BadLineException;
import io.counterflow.schemas.log.BadLines;
import io.counterflow.schemas.log.LogFormat;
import io.counterflow.schemas.log.LogReader;
import io.counterflow.schemas.log.ReadProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads log files, one after the other.
 *
 * @param skipBad whether to skip and count bad lines; otherwise the first one is an exception
 */
public record LogInput(List<Path> files, boolean skipBad) {

    static final String SKIP_BAD_ADVICE = " (--skip-bad skips such lines)";

    /** The number of bad lines to print; the others are only counted. */
    private static final int NAMED_BAD_LINES = 5;

    /**
     * Reads all impressions; returns the number of skipped bad lines.
     *
     * @param taker receives each impression; an IllegalArgumentException makes it a bad line
     */
    public long read(Output output, Consumer<Impression> taker) {
        return read(output, taker, () -> SKIP_BAD_ADVICE);
    }

    /**
     * The same.
     *
     * @param advice text to add to the message if a bad line ends the reading
     */
    long read(Output output, Consumer<Impression> taker, Supplier<String> advice) {
        files.forEach(LogInput::requireLogFile);
        List<BadLineException> named = new ArrayList<>();
        BadLines badLines = skipBad ? skipping(named) : BadLines.fail();
        try (Progress progress = output.progress("reading", "kB", totalBytes() / 1000)) {
            for (Path file : files) {
                read(file, badLines, progress, taker);
            }
        } catch (BadLineException e) {
            throw new BadInputException(e.getMessage() + advice.get(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        if (badLines.skipped() > 0) {
            named.forEach(line -> output.note("skipped: " + line.getMessage()));
            output.warn("skipped " + Figures.count(badLines.skipped(), "bad line", "bad lines"));
        }
        return badLines.skipped();
    }

    private static BadLines skipping(List<BadLineException> named) {
        return BadLines.skip(
                line -> {
                    if (named.size() < NAMED_BAD_LINES) {
                        named.add(line);
                    }
                });
    }

    private static void requireLogFile(Path file) {
        BadInputException.ifRefused("--log", () -> LogFormat.of(file));
        if (Files.isDirectory(file)) {
            throw new BadInputException("--log must be files, got the directory " + file);
        }
    }

    private long totalBytes() throws IOException {
        long total = 0;
        for (Path file : files) {
            total += Files.size(file);
        }
        return total;
    }

    private static void read(
            Path file, BadLines badLines, Progress progress, Consumer<Impression> taker)
            throws IOException {
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
                    taker.accept(impression);
                } catch (IllegalArgumentException e) {
                    reader.refuse(e);
                }
            }
        }
    }
}
