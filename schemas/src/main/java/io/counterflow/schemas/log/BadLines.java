package io.counterflow.schemas.log;

import java.util.function.Consumer;

/** How invalid lines are handled. One object may be used for several files. */
public final class BadLines {

    private final boolean skip;
    private final Consumer<BadLineException> listener;
    private long skipped;

    private BadLines(boolean skip, Consumer<BadLineException> listener) {
        this.skip = skip;
        this.listener = listener;
    }

    /** The first invalid line ends reading with an exception. */
    public static BadLines fail() {
        return new BadLines(false, line -> {});
    }

    /** Invalid lines are skipped and counted. */
    public static BadLines skip() {
        return skip(line -> {});
    }

    /** Invalid lines are skipped, counted and reported to a listener. */
    public static BadLines skip(Consumer<BadLineException> listener) {
        return new BadLines(true, listener);
    }

    /** Number of lines skipped so far. */
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
