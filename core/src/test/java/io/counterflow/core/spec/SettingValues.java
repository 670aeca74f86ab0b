package io.counterflow.core.spec;

import io.counterflow.core.features.Interaction;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Values of settings for tests, from the ranges of the table. */
final class SettingValues {

    private static final Pattern RANGE = Pattern.compile("in ([\\[(])(.+), (.+)\\]");
    private static final Pattern AT_LEAST = Pattern.compile("at least (.+)");

    private SettingValues() {}

    /** The settings that are numbers with a range. */
    static List<Setting<?>> ofNumbers() {
        List<Setting<?>> numbers = new ArrayList<>();
        for (Setting<?> setting : LoopSettings.ALL) {
            boolean isNumber =
                    switch (setting.kind()) {
                        case NUMBER, OPTIONAL_NUMBER, WHOLE, OPTIONAL_WHOLE -> true;
                        default -> false;
                    };
            if (isNumber && !setting.range().isEmpty()) {
                numbers.add(setting);
            }
        }
        return numbers;
    }

    static boolean isWhole(Setting<?> setting) {
        return setting.kind() == Setting.Kind.WHOLE
                || setting.kind() == Setting.Kind.OPTIONAL_WHOLE;
    }

    /** The range of a setting, parsed from its text. */
    static Range range(Setting<?> setting) {
        Matcher atLeast = AT_LEAST.matcher(setting.range());
        if (atLeast.matches()) {
            return Range.atLeast(Double.parseDouble(atLeast.group(1)));
        }
        Matcher between = RANGE.matcher(setting.range());
        if (!between.matches()) {
            throw new AssertionError(setting + " shows another range: " + setting.range());
        }
        double min = Double.parseDouble(between.group(2));
        double max = Double.parseDouble(between.group(3));
        return between.group(1).equals("(") ? Range.above(min, max) : Range.closed(min, max);
    }

    /** A valid spec in which this setting may have any value of its range. */
    static LoopSpec.Builder roomFor(Setting<?> setting) {
        boolean ofNames =
                List.of(LoopSettings.BITS, LoopSettings.INTERACTIONS, LoopSettings.ACTION_IDS)
                        .contains(setting);
        LoopSpec.Builder builder = LoopSpec.builder("loop");
        builder = ofNames ? builder.names(4) : builder.vectors(3, "a", "b");
        if (setting == LoopSettings.VARIANCE || setting == LoopSettings.PROPENSITY_KIND) {
            return builder.set(LoopSettings.POLICY, PolicyKind.MIXED_LOGIT)
                    .set(LoopSettings.PROPENSITY_KIND, PropensityKind.ESTIMATED)
                    .set(LoopSettings.VARIANCE, OptionalDouble.of(0.5));
        }
        if (setting == LoopSettings.OBJECTIVE_NAME || setting == LoopSettings.PRIOR_VARIANCE) {
            return builder.set(LoopSettings.NORM_BOUND, OptionalDouble.of(2.0));
        }
        if (setting == LoopSettings.DEFAULT_REWARD || setting == LoopSettings.MINIMUM_GAIN) {
            return builder.set(LoopSettings.REWARD_RANGE, new RewardRange(-1e9, 1e9));
        }
        if (setting == LoopSettings.BATCH_SIZE) {
            return builder.set(LoopSettings.BUFFER_CAPACITY, (long) LoopSpec.MAX_BUFFER);
        }
        if (setting == LoopSettings.BUFFER_CAPACITY) {
            return builder.set(LoopSettings.BATCH_SIZE, 1L);
        }
        return builder;
    }

    /** Sets a number for any kind of setting. */
    static LoopSpec.Builder set(LoopSpec.Builder builder, Setting<?> setting, double number) {
        return switch (setting.kind()) {
            case NUMBER -> builder.set(of(setting), number);
            case OPTIONAL_NUMBER -> builder.set(of(setting), OptionalDouble.of(number));
            case WHOLE -> builder.set(of(setting), (long) number);
            case OPTIONAL_WHOLE -> builder.set(of(setting), OptionalLong.of((long) number));
            default -> throw new AssertionError(setting + " is no number");
        };
    }

    @SuppressWarnings("unchecked") // the kind says which type it is
    private static Setting<Object> of(Setting<?> setting) {
        return (Setting<Object>) setting;
    }

    /** The same spec with another value of one setting, and of settings that depend on it. */
    static LoopSpec changed(LoopSpec spec, Setting<?> setting, EventRandom random) {
        LoopSpec.Builder builder = spec.toBuilder();
        switch (setting.kind()) {
            case NUMBER, OPTIONAL_NUMBER, WHOLE, OPTIONAL_WHOLE ->
                    set(builder, setting, otherNumber(spec, setting, random));
            case FLAG -> builder.set(of(setting), !(Boolean) spec.get(of(setting)));
            case DURATION ->
                    builder.set(of(setting), Duration.ofMillis(1 + random.nextInt(10_000)));
            case REWARD_RANGE ->
                    builder.set(of(setting), new RewardRange(-1.0 - random.nextDouble(), 2.0));
            case INTERACTIONS -> builder.set(of(setting), List.of(new Interaction("user", "*")));
            case ACTIONS -> builder.set(of(setting), LoopShape.unnamed(List.of("a", "c")));
            case SNAPSHOT -> {
                LinearModel model = spec.startingModel();
                builder.set(
                        of(setting),
                        Optional.of(PolicySnapshot.of("loop", 3, model, spec.encoder())));
            }
            case WORD -> {
                List<String> words = new ArrayList<>(setting.words());
                words.remove(Setting.wordOf(spec.get(setting)));
                if (setting == LoopSettings.PROPENSITY_KIND) {
                    words.remove("exact"); // a mixed logit has none
                }
                builder.set(of(setting), setting.constant(words.get(random.nextInt(words.size()))));
            }
        }
        if (setting == LoopSettings.POLICY) {
            builder.set(LoopSettings.PROPENSITY_KIND, PropensityKind.ESTIMATED)
                    .set(LoopSettings.VARIANCE, OptionalDouble.of(0.5));
        }
        return builder.build();
    }

    private static double otherNumber(LoopSpec spec, Setting<?> setting, EventRandom random) {
        double min = Double.NEGATIVE_INFINITY;
        double max = Double.POSITIVE_INFINITY;
        if (!setting.range().isEmpty()) {
            min = range(setting).min();
            max = range(setting).max();
        }
        double from = Math.max(min, -50.0);
        double to = Math.min(max, 50.0);
        while (true) {
            double u = 1.0 - random.nextDouble(); // not 0: a range may be open at its start
            double drawn = from + u * (to - from);
            drawn = isWhole(setting) ? Math.rint(drawn) : drawn;
            if (!set(spec.toBuilder(), setting, drawn)
                    .build()
                    .get(setting)
                    .equals(spec.get(setting))) {
                return drawn;
            }
        }
    }
}
