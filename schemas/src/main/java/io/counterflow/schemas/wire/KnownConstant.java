package io.counterflow.schemas.wire;

/** Converts enum constants of records to constants of the domain by name. */
public final class KnownConstant {

    /** The constant that Avro uses for names that the schema of the reader does not have. */
    private static final String LATER = "UNKNOWN";

    private KnownConstant() {}

    public static <E extends Enum<E>> E of(Class<E> type, String field, Enum<?> recorded) {
        if (recorded.name().equals(LATER)) {
            throw new IllegalArgumentException(
                    field + " must be a known one, got one of a later version");
        }
        return Enum.valueOf(type, recorded.name());
    }
}
