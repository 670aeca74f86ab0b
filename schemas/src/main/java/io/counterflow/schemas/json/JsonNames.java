package io.counterflow.schemas.json;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Constants of an enum by their names in JSON: {@code UPPER_BOUND} is {@code upperBound}. */
public final class JsonNames {

    private JsonNames() {}

    /** The name of a constant. */
    public static String of(Enum<?> constant) {
        StringBuilder name = new StringBuilder();
        for (String word : constant.name().toLowerCase(Locale.ROOT).split("_", -1)) {
            name.append(name.isEmpty() ? word.charAt(0) : Character.toUpperCase(word.charAt(0)));
            name.append(word, 1, word.length());
        }
        return name.toString();
    }

    /** The constant of a name; {@code field} says where the name was found. */
    public static <E extends Enum<E>> E constant(Class<E> type, String field, String name) {
        List<String> known = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            if (of(constant).equals(name)) {
                return constant;
            }
            known.add(of(constant));
        }
        throw new InvalidJsonException(
                field,
                "must be one of %s, got \"%s\""
                        .formatted(
                                String.join(", ", known),
                                name.substring(0, Math.min(40, name.length()))));
    }
}
