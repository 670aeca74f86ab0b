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

    /**
     * Creates a value from the user's input. An IllegalArgumentException becomes bad input.
     *
     * @param source the source of the input, such as {@code --tau}
     * @param value creates the value
     */
    public static <T> T ifRefused(String source, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new BadInputException(source + ": " + e.getMessage(), e);
        }
    }
}
