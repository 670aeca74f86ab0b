package io.counterflow.core.loop;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;

/** Counts what has happened since the last candidate was frozen, by examples and event time. */
final class SnapshotClock {

    private long examples;
    private long startMs; // −1 before any example
    private long latestMs;

    SnapshotClock(LearnerProgress progress) {
        this.examples = progress.sinceSnapshot();
        this.startMs = progress.snapshotMs();
        this.latestMs = progress.latestMs();
    }

    /** An example has come. Event time never runs backwards. */
    void tick(long eventTimeMs) {
        examples++;
        latestMs = Math.max(latestMs, eventTimeMs);
        if (startMs < 0) {
            startMs = latestMs;
        }
    }

    /** Whether a candidate is due: after so many examples or so much event time, as a spec says. */
    boolean due(LoopSpec spec) {
        long everyExamples = spec.get(LoopSettings.SNAPSHOT_EXAMPLES);
        long everyMs = spec.get(LoopSettings.SNAPSHOT_INTERVAL).toMillis();
        return (everyExamples > 0 && examples >= everyExamples)
                || (everyMs > 0 && latestMs - startMs >= everyMs);
    }

    void restart() {
        examples = 0;
        startMs = latestMs;
    }

    long examples() {
        return examples;
    }

    long startMs() {
        return startMs;
    }

    long latestMs() {
        return latestMs;
    }
}
