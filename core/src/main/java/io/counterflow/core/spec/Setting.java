package io.counterflow.core.spec;

import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.text.DurationText;
import io.counterflow.core.text.JsonName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * One setting of a loop's spec: name, type, default, range, effect of a change, and description.
 * {@link LoopSettings} has all of them.
 *
 * <p>JSON, Avro, the verdict on a change and the documentation all use this entry, so they agree.
 */
public final class Setting<T> {

    /** The types of values; each has one form in JSON and one in Avro. */
    public enum Kind {
        /** A {@code Double}. */
        NUMBER,
        /** An {@code OptionalDouble}. */
        OPTIONAL_NUMBER,
        /** A {@code Long}. */
        WHOLE,
        /** An {@code OptionalLong}. */
        OPTIONAL_WHOLE,
        /** A {@code Boolean}. */
        FLAG,
        /** A {@code Duration}, written as {@link DurationText} does. */
        DURATION,
        /** A constant of an enum, by its name. */
        WORD,
        /** A {@link RewardRange}, written as its two numbers. */
        REWARD_RANGE,
        /** A list of {@link Interaction}. */
        INTERACTIONS,
        /** A list of {@link NamedAction}. */
        ACTIONS,
        /** An optional {@link PolicySnapshot}. */
        SNAPSHOT
    }

    private final String name;
    private final Kind kind;
    private final T defaultValue;
    private final List<T> words; // of WORD
    private final Range range; // of numbers
    private final ChangeRule change;
    private final String description;

    Setting(
            String name,
            Kind kind,
            T defaultValue,
            List<T> words,
            Range range,
            ChangeRule change,
            String description) {
        this.name = name;
        this.kind = kind;
        this.defaultValue = defaultValue;
        this.words = words;
        this.range = range;
        this.change = change;
        this.description = description;
    }

    /** Its name in JSON, in Avro, in messages and in the documentation. */
    public String name() {
        return name;
    }

    public Kind kind() {
        return kind;
    }

    public T defaultValue() {
        return defaultValue;
    }

    /** The effect of changing it in a running loop. */
    ChangeRule change() {
        return change;
    }

    /** Its description: one or two sentences. */
    public String description() {
        return description;
    }

    /** Its valid values as text, such as {@code in [0, 1]}; empty if all values are valid. */
    public String range() {
        if (kind == Kind.WORD) {
            return String.join(", ", words());
        }
        return range.equals(Range.ANY) ? "" : range.toString();
    }

    /** The names of the constants of a setting. */
    public List<String> words() {
        return words.stream().map(Setting::wordOf).toList();
    }

    /** The name of a constant: its own, or in camel case. */
    public static String wordOf(Object constant) {
        Enum<?> word = (Enum<?>) constant;
        return word.toString().equals(word.name()) ? JsonName.of(word) : word.toString();
    }

    /** The constant with this name. */
    public T constant(String word) {
        for (T constant : words) {
            if (wordOf(constant).equals(word)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(
                "%s must be one of %s, got \"%s\""
                        .formatted(
                                name,
                                String.join(", ", words()),
                                word.substring(0, Math.min(40, word.length()))));
    }

    /** Refuses a value that is out of range. Returns the value, but 0 for −0. */
    @SuppressWarnings("unchecked") // a Double for a Double
    T check(T value) {
        switch (kind) {
            case NUMBER -> range.require(name, (Double) value);
            case OPTIONAL_NUMBER ->
                    ((OptionalDouble) value).ifPresent(given -> range.require(name, given));
            case WHOLE -> range.require(name, (Long) value);
            case OPTIONAL_WHOLE ->
                    ((OptionalLong) value).ifPresent(given -> range.require(name, given));
            case DURATION -> Require.wholeMillis((Duration) value, name);
            case WORD -> constant(wordOf(value));
            case FLAG, REWARD_RANGE, INTERACTIONS, ACTIONS, SNAPSHOT -> {}
        }
        return kind == Kind.NUMBER ? (T) (Double) ((Double) value + 0.0) : value;
    }

    /** The value as text; lists and policies are described by their size. */
    public String show(T value) {
        return switch (kind) {
            case NUMBER -> Range.show((Double) value);
            case OPTIONAL_NUMBER -> {
                OptionalDouble given = (OptionalDouble) value;
                yield given.isPresent() ? Range.show(given.getAsDouble()) : "none";
            }
            case OPTIONAL_WHOLE -> {
                OptionalLong given = (OptionalLong) value;
                yield given.isPresent() ? Long.toString(given.getAsLong()) : "none";
            }
            case DURATION -> DurationText.format((Duration) value);
            case WORD -> wordOf(value);
            case INTERACTIONS -> {
                List<String> texts = new ArrayList<>();
                ((List<?>) value).forEach(it -> texts.add("\"" + it + "\""));
                yield texts.toString();
            }
            case ACTIONS -> ((List<?>) value).isEmpty() ? "[]" : ((List<?>) value).size() + "";
            case SNAPSHOT -> ((Optional<?>) value).isPresent() ? "given" : "none";
            case WHOLE, FLAG, REWARD_RANGE -> String.valueOf(value);
        };
    }

    @Override
    public String toString() {
        return name;
    }
}
