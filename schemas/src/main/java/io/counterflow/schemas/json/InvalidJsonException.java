package io.counterflow.schemas.json;

/** Invalid JSON. The message names the field and never contains the value of a feature. */
public final class InvalidJsonException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String field;

    public InvalidJsonException(String field, String message) {
        super(field.isEmpty() ? message : field + " " + message);
        this.field = field;
    }

    /** The field that is wrong, such as {@code context.dense[3]}; empty for the whole document. */
    public String field() {
        return field;
    }
}
