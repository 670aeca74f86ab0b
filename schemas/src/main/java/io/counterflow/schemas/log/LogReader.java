package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Reads a log file, {@code .jsonl}, {@code .jsonl.gz} or {@code .avro}, one impression at a time.
 *
 * <p>An invalid line is a {@link BadLineException}, or is skipped and counted, depending on {@link
 * BadLines}. Damage after which nothing can be read, such as a truncated compressed file, counts as
 * one invalid line at the end of the file. Blank lines are ignored. An {@link UncheckedIOException}
 * means that reading from disk failed, not that the content is invalid.
 */
public final class LogReader implements Iterator<Impression>, AutoCloseable {

    private final ImpressionSource source;
    private final BadLines badLines;
    private Optional<Impression> upcoming = Optional.empty();
    private boolean ended;
    private long impressions;

    private LogReader(ImpressionSource source, BadLines badLines) {
        this.source = source;
        this.badLines = badLines;
    }

    /** Opens a file. An invalid line is an exception. */
    public static LogReader open(Path file) throws IOException {
        return open(file, BadLines.fail(), ReadProgress.none());
    }

    public static LogReader open(Path file, BadLines badLines, ReadProgress progress)
            throws IOException {
        LogFormat format = LogFormat.of(file);
        ImpressionSource source =
                format == LogFormat.AVRO
                        ? new AvroLog(file, progress)
                        : new JsonLines(file, format, progress);
        return new LogReader(source, badLines);
    }

    @Override
    public boolean hasNext() {
        while (upcoming.isEmpty() && !ended) {
            try {
                upcoming = source.next();
                ended = upcoming.isEmpty();
            } catch (BadLineException e) {
                badLines.meet(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return upcoming.isPresent();
    }

    @Override
    public Impression next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the log has no more impressions");
        }
        Impression impression = upcoming.orElseThrow();
        upcoming = Optional.empty();
        impressions++;
        return impression;
    }

    /**
     * Reports that the caller cannot use the last impression. Its line is then handled like an
     * invalid line. Must be called before the next impression is read.
     */
    public void refuse(IllegalArgumentException reason) {
        impressions--;
        badLines.meet(source.bad(String.valueOf(reason.getMessage()), reason));
    }

    /** Number of impressions read so far, without refused ones. */
    public long impressions() {
        return impressions;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
