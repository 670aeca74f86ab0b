package io.counterflow.client.rank;

/** What callers may name events, rewards and commands. */
public final class Names {

    /** Longest name, in characters: what the job takes by default. */
    public static final int LONGEST = 512;

    private Names() {}

    /** Refuses a name that is empty or too long. */
    public static String require(String field, String name) {
        if (name.isEmpty() || name.length() > LONGEST) {
            throw new IllegalArgumentException(
                    "%s must have between 1 and %d characters, got %d"
                            .formatted(field, LONGEST, name.length()));
        }
        return name;
    }
}
