package io.counterflow.cli.evaluate;

import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.log.Context;
import io.counterflow.core.log.Impression;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Divides a log by a feature of the context, or by the day of the week.
 *
 * <p>The largest segments are kept apart, and the others are one segment together. An action must
 * not be a segment: importance weights have mean one for each context, but not for each action.
 */
final class Segments {

    static final String WEEKDAY = "@weekday";

    /** More values are those of an identifier or of a measurement. */
    static final int MAX_VALUES = 10_000;

    private static final String MISSING = "(missing)";
    private static final String SEVERAL = "(several values)";
    private static final String OTHER = "(other)";

    private final String by;
    private final int max;
    private final Map<String, Integer> values = new HashMap<>(); // in order of appearance
    private final List<Integer> valueOf = new ArrayList<>(); // by example

    /**
     * A part of a log.
     *
     * @param name value of the feature
     * @param n number of examples
     */
    record Segment(String name, int n) {}

    /** The segments of all examples. */
    static final class Division {
        private final String by;
        private final List<Segment> parts;
        private final int[] partOf;
        private final int combined;

        private Division(String by, List<Segment> parts, int[] partOf, int combined) {
            this.by = by;
            this.parts = List.copyOf(parts);
            this.partOf = partOf;
            this.combined = combined;
        }

        String by() {
            return by;
        }

        /** The segments, the largest first; combined values are the last one. */
        List<Segment> parts() {
            return parts;
        }

        /** The position of the segment of an example. */
        int partOf(int example) {
            return partOf[example];
        }

        /** Number of values that are in the last segment together; 0 if there is none. */
        int combined() {
            return combined;
        }
    }

    /**
     * @param by a feature of the context, with its namespaces before dots; or {@link #WEEKDAY}
     * @param max largest number of segments that are kept apart
     */
    Segments(String by, int max) {
        this.by = by;
        this.max = max;
        if (by.isEmpty() || (by.startsWith("@") && !by.equals(WEEKDAY))) {
            throw new BadInputException(
                    "--by must be a feature of the context, such as user.country, or %s, got \"%s\""
                            .formatted(WEEKDAY, by));
        }
    }

    void add(Impression impression) {
        String value =
                by.equals(WEEKDAY)
                        ? impression
                                .time()
                                .atZone(ZoneOffset.UTC)
                                .getDayOfWeek()
                                .name()
                                .toLowerCase(Locale.ROOT)
                        : feature(impression.context()).map(Segments::text).orElse(MISSING);
        Integer number = values.get(value);
        if (number == null) {
            if (values.size() == MAX_VALUES) {
                throw new BadInputException(
                        "--by %s: the feature must have at most %,d values; choose one with fewer"
                                .formatted(by, MAX_VALUES));
            }
            number = values.size();
            values.put(value, number);
        }
        valueOf.add(number);
    }

    private Optional<FeatureValue> feature(Context context) {
        if (!(context instanceof Context.Named named)) {
            throw new BadInputException(
                    "--by %s: the log has context vectors, whose features have no names"
                            .formatted(by));
        }
        return find(named.features(), by);
    }

    /** Names may contain dots, so every beginning of the path is tried. */
    private static Optional<FeatureValue> find(NamedFeatures features, String path) {
        for (NamedFeatures.Entry entry : features.entries()) {
            if (entry.name().equals(path)) {
                return Optional.of(entry.value());
            }
            if (entry.value() instanceof NamedFeatures namespace
                    && path.startsWith(entry.name() + ".")) {
                Optional<FeatureValue> found =
                        find(namespace, path.substring(entry.name().length() + 1));
                if (found.isPresent()) {
                    return found;
                }
            }
        }
        return Optional.empty();
    }

    private static String text(FeatureValue value) {
        if (value instanceof FeatureValue.Text text) {
            return text.value();
        }
        if (value instanceof FeatureValue.Flag flag) {
            return Boolean.toString(flag.value());
        }
        if (value instanceof FeatureValue.Quantity number) {
            double it = number.value();
            return it == Math.rint(it) && Math.abs(it) < 1e15
                    ? Long.toString((long) it)
                    : Double.toString(it);
        }
        return SEVERAL;
    }

    /** The division of all examples that were added. */
    Division divide() {
        String[] names = new String[values.size()];
        values.forEach((name, number) -> names[number] = name);
        int[] counts = new int[names.length];
        valueOf.forEach(number -> counts[number]++);
        int[] order =
                IntStream.range(0, names.length)
                        .boxed()
                        .sorted(
                                (a, b) ->
                                        counts[a] == counts[b]
                                                ? names[a].compareTo(names[b])
                                                : Integer.compare(counts[b], counts[a]))
                        .mapToInt(Integer::intValue)
                        .toArray();
        if (names.length == 1 && names[0].equals(MISSING)) {
            throw new BadInputException(
                    "--by %s: no context of the log has this feature".formatted(by));
        }
        int apart = Math.min(max, order.length);
        int[] part = new int[names.length];
        Arrays.fill(part, apart);
        List<Segment> parts = new ArrayList<>();
        int left = valueOf.size();
        for (int k = 0; k < apart; k++) {
            part[order[k]] = k;
            parts.add(new Segment(names[order[k]], counts[order[k]]));
            left -= counts[order[k]];
        }
        if (left > 0) {
            parts.add(new Segment(OTHER, left));
        }
        return new Division(
                by,
                parts,
                valueOf.stream().mapToInt(number -> part[number]).toArray(),
                order.length - apart);
    }
}
