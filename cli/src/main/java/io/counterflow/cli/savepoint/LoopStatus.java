package io.counterflow.cli.savepoint;

import io.counterflow.flink.loop.SavedLoop;

/** What a loop in a savepoint does. */
enum LoopStatus {
    LEARNING("learning"),
    QUARANTINED("quarantined"),
    WITHOUT_SPEC("without spec"),
    UNREADABLE("unreadable");

    private final String text;

    LoopStatus(String text) {
        this.text = text;
    }

    static LoopStatus of(SavedLoop loop) {
        if (loop.problem().isPresent()) {
            return UNREADABLE;
        }
        if (loop.quarantine().isPresent()) {
            return QUARANTINED;
        }
        return loop.state().isPresent() ? LEARNING : WITHOUT_SPEC;
    }

    String text() {
        return text;
    }
}
