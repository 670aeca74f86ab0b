package io.counterflow.core.loop;

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

    boolean due(SnapshotCadence cadence) {
        return cadence.due(examples, latestMs - startMs);
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
