package io.counterflow.serving.diagnosis;

import io.counterflow.core.numeric.Require;

/**
 * Examples since a loop's newest snapshot, as far as they were counted.
 *
 * @param examples how many were seen
 * @param whole whether all of them were, because the snapshot was seen too
 */
public record SinceSnapshot(long examples, boolean whole) {

    public SinceSnapshot {
        Require.atLeast(0, examples, "examples");
    }
}
