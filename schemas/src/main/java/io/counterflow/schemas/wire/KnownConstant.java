package io.counterflow.schemas.wire;

/** Constants of records by the names of those that they stand for. */
final class KnownConstant {

    /** What a reader is given for a constant that its schema does not have. */
    private static final String LATER = "UNKNOWN";

    private KnownConstant() {}

    static <E extends Enum<E>> E of(Class<E> type, String field, Enum<?> recorded) {
        if (recorded.name().equals(LATER)) {
            throw new IllegalArgumentException(
                    field + " must be a known one, got one of a later version");
        }
        return Enum.valueOf(type, recorded.name());
    }
}
