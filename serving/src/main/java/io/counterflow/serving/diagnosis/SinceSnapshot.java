package io.counterflow.serving.diagnosis;

import io.counterflow.core.numeric.Require;

/**
 * The counted examples since a loop's newest snapshot.
 *
 * @param whole whether all examples since the snapshot were counted
 */
public record SinceSnapshot(long examples, boolean whole) {

    public SinceSnapshot {
        Require.atLeast(0, examples, "examples");
    }
}
