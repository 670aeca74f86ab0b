package io.counterflow.core.spec;

import io.counterflow.core.text.PlainName;

/** The rule for names of loops, which are part of keys, file names and URLs. */
public final class LoopName {

    /** Maximum length of a name, in characters. */
    public static final int MAX_LENGTH = 200;

    private LoopName() {}

    /** Returns the name if it is valid. */
    public static String require(String loop) {
        return PlainName.require(loop, "loop", MAX_LENGTH);
    }
}
