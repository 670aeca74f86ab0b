package io.counterflow.cli.console;

import java.util.function.Supplier;

/**
 * Bad input of the user: a file, a line of a file, or a combination of options.
 *
 * <p>The user sees only the message. It names the input, the rule and the value, but never contains
 * feature values.
 */
public final class BadInputException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public BadInputException(String message) {
        super(message);
    }

    public BadInputException(String message, Throwable cause) {
        super(message, cause);
    }

    /** Creates a value from an input such as {@code --tau}, which it may refuse. */
    public static <T> T ifRefused(String source, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new BadInputException(source + ": " + e.getMessage(), e);
        }
    }
}
