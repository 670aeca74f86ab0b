package io.counterflow.serving.diagnosis;

import java.util.Locale;

/** How it goes at a stage. */
public enum StageState {
    /** As it should. */
    OK,
    /** Something is yet to come; nothing is wrong. */
    WAITING,
    /** It goes on, but somebody should look. */
    WARNING,
    /** It does not go on by itself. */
    STALLED;

    /** As answers show it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
