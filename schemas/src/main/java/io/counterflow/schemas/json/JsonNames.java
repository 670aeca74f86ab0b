package io.counterflow.schemas.json;

import io.counterflow.core.text.JsonName;
import java.util.ArrayList;
import java.util.List;

/** Finds enum constants by their {@link JsonName}. */
public final class JsonNames {

    private JsonNames() {}

    /** The constant with this name; messages name {@code field}. */
    public static <E extends Enum<E>> E constant(Class<E> type, String field, String name) {
        List<String> known = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            if (JsonName.of(constant).equals(name)) {
                return constant;
            }
            known.add(JsonName.of(constant));
        }
        throw new InvalidJsonException(
                field,
                "must be one of %s, got \"%s\""
                        .formatted(
                                String.join(", ", known),
                                name.substring(0, Math.min(40, name.length()))));
    }
}
