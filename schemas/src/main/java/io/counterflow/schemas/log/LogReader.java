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
 * <p>A line that cannot be used is a {@link BadLineException}, or passed over and counted, as
 * {@link BadLines} says. Damage after which nothing can be found, such as a compressed file that is
 * cut off, is such a line as well; passed over, it is the last one of its file. Blank lines are
 * ignored. {@link UncheckedIOException} means that the disk failed, not the file's content.
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

    /** Opens a file of which every line must be usable. */
    public static LogReader open(Path file) throws IOException {
        return open(file, BadLines.fail(), ReadProgress.none());
    }

    /** Opens a file. */
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
     * Says that the impression returned last cannot be used after all, for a reason that only its
     * reader knows: then its line is as bad as one that cannot be read. To be called before the
     * next one is asked for.
     */
    public void refuse(IllegalArgumentException reason) {
        impressions--;
        badLines.meet(source.bad(String.valueOf(reason.getMessage()), reason));
    }

    /** How many impressions were read so far, without those that were refused. */
    public long impressions() {
        return impressions;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
