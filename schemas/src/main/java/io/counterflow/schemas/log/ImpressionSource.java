package io.counterflow.schemas.log;

import io.counterflow.core.log.Impression;
import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The impressions of one file, one after the other. */
interface ImpressionSource extends Closeable {

    /**
     * The next impression; empty at the end of the file.
     *
     * @throws BadLineException when a line cannot be used. The next call goes on after it, or ends
     *     where nothing after it can be read.
     */
    Optional<Impression> next() throws IOException;

    /** What to say of the line that was read last, when it turns out that it cannot be used. */
    BadLineException bad(String reason, @Nullable Throwable cause);
}
