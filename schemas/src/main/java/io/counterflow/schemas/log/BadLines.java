package io.counterflow.schemas.log;

import java.util.function.Consumer;

/** What happens to lines that cannot be used. One object may serve several files. */
public final class BadLines {

    private final boolean skip;
    private final Consumer<BadLineException> listener;
    private long skipped;

    private BadLines(boolean skip, Consumer<BadLineException> listener) {
        this.skip = skip;
        this.listener = listener;
    }

    /** The first one ends the reading. */
    public static BadLines fail() {
        return new BadLines(false, line -> {});
    }

    /** They are passed over and counted. */
    public static BadLines skip() {
        return skip(line -> {});
    }

    /** They are passed over, counted and told to a listener. */
    public static BadLines skip(Consumer<BadLineException> listener) {
        return new BadLines(true, listener);
    }

    /** How many were passed over so far. */
    public long skipped() {
        return skipped;
    }

    void meet(BadLineException line) {
        if (!skip) {
            throw line;
        }
        skipped++;
        listener.accept(line);
    }
}
