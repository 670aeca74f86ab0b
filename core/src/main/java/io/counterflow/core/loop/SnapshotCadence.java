package io.counterflow.core.loop;

import io.counterflow.core.numeric.Require;

/**
 * When a loop freezes a candidate: after so many examples or so much event time since the last one,
 * whichever comes first.
 *
 * @param everyExamples 0 for no such limit
 * @param everyMs 0 for no such limit
 */
public record SnapshotCadence(long everyExamples, long everyMs) {

    public SnapshotCadence {
        Require.atLeast(0, everyExamples, "everyExamples");
        Require.atLeast(0, everyMs, "everyMs");
    }

    boolean due(long examples, long elapsedMs) {
        return (everyExamples > 0 && examples >= everyExamples)
                || (everyMs > 0 && elapsedMs >= everyMs);
    }
}
