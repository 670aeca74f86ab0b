package io.counterflow.core.loop;

import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;

/** Counts examples and event time since the last candidate was frozen. */
final class SnapshotClock {

    private long examples;
    private long startMs; // −1 before any example
    private long latestMs;

    SnapshotClock(LearnerProgress progress) {
        this.examples = progress.sinceSnapshot();
        this.startMs = progress.snapshotMs();
        this.latestMs = progress.latestMs();
    }

    /** Counts an example. Event time never goes backwards. */
    void tick(long eventTimeMs) {
        examples++;
        latestMs = Math.max(latestMs, eventTimeMs);
        if (startMs < 0) {
            startMs = latestMs;
        }
    }

    /** Whether a candidate is due: after the number of examples or the event time of the spec. */
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
