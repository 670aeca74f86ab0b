package io.counterflow.cli.imports;

import io.counterflow.core.features.FeatureValue;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.schemas.json.JsonLimits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/**
 * A line of Vowpal Wabbit's text format: {@code label 'tag |namespace feature feature:value}.
 *
 * @param isShared whether it has the features that all actions share
 * @param tag the text that touches the first bar, or that starts with an apostrophe
 */
record VwLine(boolean isShared, List<Label> labels, Optional<String> tag, NamedFeatures features) {

    private static final Pattern SPACE = Pattern.compile("[ \t]+");
    private static final Pattern NUMBER =
            Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

    /**
     * A label {@code action:cost:probability}, of which the later parts may be missing.
     *
     * @param action as it is written; from 1, or 0 where each action has a line
     */
    record Label(long action, OptionalDouble cost, OptionalDouble probability) {

        double requireCost() {
            if (cost.isEmpty()) {
                throw new RejectedRecordException(
                        Rejection.NO_LABEL, "the label must have a cost: action:cost:probability");
            }
            return cost.getAsDouble();
        }

        double requirePropensity() {
            return Decisions.propensity(
                    "the probability of a label", probability.orElse(Double.NaN));
        }
    }

    /** Limits the features of a decision. */
    static final class Budget {
        private final JsonLimits limits;
        private int used;

        Budget(JsonLimits limits) {
            this.limits = limits;
        }

        void spend(String text) {
            if (++used > limits.maxFeatures() || text.length() > limits.maxStringLength()) {
                throw new RejectedRecordException(
                        Rejection.TOO_LARGE,
                        "a decision must not have more than %d features, or names of more than %d"
                                        .formatted(limits.maxFeatures(), limits.maxStringLength())
                                + " characters");
            }
        }
    }

    static VwLine parse(String line, Budget budget) {
        String[] parts = line.split("\\|", -1);
        String head = parts[0];
        List<String> words = new ArrayList<>(words(head));
        Optional<String> tag = Optional.empty();
        if (!words.isEmpty()) {
            String last = words.get(words.size() - 1);
            boolean touchesBar = parts.length > 1 && head.endsWith(last);
            if (touchesBar || last.startsWith("'")) {
                words.remove(words.size() - 1);
                budget.spend(last);
                tag = Optional.of(last.startsWith("'") ? last.substring(1) : last);
            }
        }
        if (!words.isEmpty() && (words.get(0).equals("ccb") || words.get(0).equals("slates"))) {
            throw new RejectedRecordException(
                    Rejection.SEVERAL_SLOTS, "the decision has several slots");
        }
        boolean shared = words.size() == 1 && words.get(0).equals("shared");
        if (tag.filter("shared"::equals).isPresent() && words.isEmpty()) {
            shared = true; // Vowpal Wabbit accepts "shared|" too
        }
        List<Label> labels = new ArrayList<>();
        if (!shared) {
            words.forEach(word -> labels.add(label(word)));
        }
        return new VwLine(
                shared, labels, tag.filter(text -> !text.isEmpty()), features(parts, budget));
    }

    private static List<String> words(String text) {
        String stripped = text.strip();
        return stripped.isEmpty() ? List.of() : List.of(SPACE.split(stripped));
    }

    private static Label label(String word) {
        String[] parts = word.split(":", -1);
        if (parts.length > 3 || !parts[0].matches("[0-9]{1,9}")) {
            throw new RejectedRecordException(
                    Rejection.MALFORMED, "a label must be action:cost:probability");
        }
        return new Label(
                Long.parseLong(parts[0]),
                parts.length < 2 ? OptionalDouble.empty() : number(parts[1], "the cost"),
                parts.length < 3 ? OptionalDouble.empty() : number(parts[2], "the probability"));
    }

    private static OptionalDouble number(String text, String what) {
        double value = NUMBER.matcher(text).matches() ? Double.parseDouble(text) : Double.NaN;
        if (!Double.isFinite(value)) {
            throw new RejectedRecordException(
                    Rejection.MALFORMED, what + " of a label must be a finite number");
        }
        return OptionalDouble.of(value);
    }

    /** The features by namespace; those of the same name are added, as Vowpal Wabbit does. */
    private static NamedFeatures features(String[] parts, Budget budget) {
        Map<String, Map<String, FeatureValue>> namespaces = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            List<String> words = words(parts[i]);
            boolean named = !parts[i].isEmpty() && !isSpace(parts[i].charAt(0));
            String[] name = named ? words.get(0).split(":", -1) : new String[] {""};
            budget.spend(name[0]);
            double weight = name.length < 2 ? 1.0 : weight(name);
            Map<String, FeatureValue> features =
                    namespaces.computeIfAbsent(name[0], unused -> new LinkedHashMap<>());
            for (String word : named ? words.subList(1, words.size()) : words) {
                budget.spend(word);
                add(word, weight, features);
            }
        }
        List<NamedFeatures.Entry> entries = new ArrayList<>();
        namespaces.forEach(
                (name, features) -> {
                    List<NamedFeatures.Entry> inside = new ArrayList<>();
                    features.forEach(
                            (feature, value) ->
                                    inside.add(new NamedFeatures.Entry(feature, value)));
                    if (name.isEmpty()) {
                        entries.addAll(inside); // the default namespace
                    } else if (!inside.isEmpty()) {
                        entries.add(new NamedFeatures.Entry(name, new NamedFeatures(inside)));
                    }
                });
        return entries.isEmpty() ? NamedFeatures.none() : new NamedFeatures(entries);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || c == '\t';
    }

    private static double weight(String[] name) {
        boolean valid = name.length == 2 && NUMBER.matcher(name[1]).matches();
        return finite(valid ? Double.parseDouble(name[1]) : Double.NaN);
    }

    private static void add(String word, double weight, Map<String, FeatureValue> features) {
        int colon = word.indexOf(':');
        String name = colon < 0 ? word : word.substring(0, colon);
        String text = colon < 0 ? "1" : word.substring(colon + 1);
        if (!NUMBER.matcher(text).matches()) {
            features.put(name, new FeatureValue.Text(text));
            return;
        }
        double value = finite(weight * Double.parseDouble(text));
        FeatureValue known = features.get(name);
        double sum = known instanceof FeatureValue.Quantity earlier ? earlier.value() : 0.0;
        features.put(name, new FeatureValue.Quantity(finite(sum + value)));
    }

    private static double finite(double value) {
        if (!Double.isFinite(value)) {
            throw new RejectedRecordException(
                    Rejection.FEATURES, "the value of a feature must be a finite number");
        }
        return value;
    }
}
