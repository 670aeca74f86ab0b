package io.counterflow.schemas.json;

/** Invalid JSON. The message names the field and never contains the value of a feature. */
public class InvalidJsonException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String field;
    private final String reason;

    public InvalidJsonException(String field, String message) {
        super(field.isEmpty() ? message : field + " " + message);
        this.field = field;
        this.reason = message;
    }

    /** The field that is wrong, such as {@code context.dense[3]}; empty for the whole document. */
    public String field() {
        return field;
    }

    /**
     * The same, for a field below another one.
     *
     * @param outer the other field, such as {@code actions[3]}
     */
    InvalidJsonException below(String outer) {
        InvalidJsonException e =
                new InvalidJsonException(field.isEmpty() ? outer : outer + "." + field, reason);
        e.initCause(this);
        return e;
    }
}
