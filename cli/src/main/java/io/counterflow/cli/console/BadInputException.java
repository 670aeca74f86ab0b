package io.counterflow.cli.console;

import java.util.function.Supplier;

/**
 * The user gave something that cannot be used: a file, a line of it, a combination of options.
 *
 * <p>The message is all that the user sees. It names the thing, what it must be and what it was,
 * and holds no feature values.
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
     * Builds a checked value from what the user gave; its refusal becomes a message to the user.
     *
     * @param source where the values came from, such as {@code --tau}
     * @param value makes the value, or throws IllegalArgumentException
     */
    public static <T> T ifRefused(String source, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new BadInputException(source + ": " + e.getMessage(), e);
        }
    }
}
