package io.counterflow.core.text;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The JSON names of enum constants: {@code UPPER_BOUND} is {@code upperBound}. */
public final class JsonName {

    private static final Map<Enum<?>, String> NAMES = new ConcurrentHashMap<>();

    private JsonName() {}

    /** The name of a constant. */
    public static String of(Enum<?> constant) {
        return NAMES.computeIfAbsent(constant, JsonName::nameOf);
    }

    private static String nameOf(Enum<?> constant) {
        StringBuilder name = new StringBuilder();
        for (String word : constant.name().toLowerCase(Locale.ROOT).split("_", -1)) {
            name.append(name.isEmpty() ? word.charAt(0) : Character.toUpperCase(word.charAt(0)));
            name.append(word, 1, word.length());
        }
        return name.toString();
    }
}
