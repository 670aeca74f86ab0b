package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the impressions of one file. */
interface ImpressionSource extends Closeable {

    /**
     * The next impression; empty at the end of the file.
     *
     * @throws BadLineException if a line is invalid. The next call continues after it, or returns
     *     empty if nothing after it can be read.
     */
    Optional<Impression> next() throws IOException;

    /** The exception for the last line, if the caller cannot use it. */
    BadLineException bad(String reason, @Nullable Throwable cause);
}
