package io.counterflow.client.rank;

/** Checks the ids that callers give to events and rewards. */
public final class Names {

    /** Limit on characters, the default limit of the job. */
    private static final int MAX_LENGTH = 512;

    private Names() {}

    /** Refuses an id that is empty or too long. */
    public static String require(String field, String name) {
        if (name.isEmpty() || name.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "%s must have between 1 and %d characters, got %d"
                            .formatted(field, MAX_LENGTH, name.length()));
        }
        return name;
    }
}
