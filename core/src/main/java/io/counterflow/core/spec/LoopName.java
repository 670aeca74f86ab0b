package io.counterflow.core.spec;

import java.util.regex.Pattern;

/** What a loop may be called: its name is part of keys, file names and addresses. */
public final class LoopName {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,199}");
    private static final int SHOWN = 40;

    private LoopName() {}

    /** Refuses any other name; gives back what it was given. */
    public static String require(String loop) {
        if (!NAME.matcher(loop).matches()) {
            throw new IllegalArgumentException(
                    "loop must be 1 to 200 letters, digits, dots, underscores or hyphens and start"
                            + " with a letter or digit, got \"%s\""
                                    .formatted(loop.substring(0, Math.min(SHOWN, loop.length()))));
        }
        return loop;
    }
}
