package io.counterflow.cli.console;

/** The result of a command, for people and for programs. */
public interface Report {

    /** For people: lines and tables. */
    String toText();

    /**
     * For programs: a record, a map or a {@code JsonSerializable} that Jackson turns into one JSON
     * object.
     *
     * <p>Numbers that are not finite become {@code null}; times, durations and paths become text.
     */
    Object toJson();
}
