package io.counterflow.core.text;

import java.util.regex.Pattern;

/**
 * Names that are safe in file names, topic names and URLs: letters, digits, dots, underscores and
 * hyphens, starting with a letter or digit.
 */
public final class PlainName {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");
    private static final int SHOWN = 40;

    private PlainName() {}

    /** Whether this is such a name of at most {@code maxLength} characters. */
    public static boolean isValid(String name, int maxLength) {
        return name.length() <= maxLength && NAME.matcher(name).matches();
    }

    /** Returns the name if it is valid. The message of the exception starts with {@code what}. */
    public static String require(String name, String what, int maxLength) {
        if (!isValid(name, maxLength)) {
            throw new IllegalArgumentException(
                    "%s, got \"%s\""
                            .formatted(
                                    rule(what, maxLength),
                                    name.substring(0, Math.min(SHOWN, name.length()))));
        }
        return name;
    }

    /** The rule for a name as a sentence, for messages that must not quote the name. */
    public static String rule(String what, int maxLength) {
        return ("%s must be 1 to %d letters, digits, dots, underscores or hyphens and start with a"
                        + " letter or digit")
                .formatted(what, maxLength);
    }
}
