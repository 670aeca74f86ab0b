package io.counterflow.serving.diagnosis;

/**
 * Examples since a loop's newest snapshot, as far as they were counted.
 *
 * @param examples how many were seen
 * @param whole whether all of them were, because the snapshot was seen too
 */
public record SinceSnapshot(long examples, boolean whole) {

    public SinceSnapshot {
        if (examples < 0) {
            throw new IllegalArgumentException("examples must be at least 0, got " + examples);
        }
    }
}
