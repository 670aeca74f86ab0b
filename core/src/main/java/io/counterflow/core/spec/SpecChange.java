package io.counterflow.core.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The effect of changing the spec of a running loop, for each setting.
 *
 * <p>A change that affects only future decisions and examples is immediate. A change of what the
 * parameters were learned for, or of something that must be fixed before the data, waits for the
 * next generation. A change of the shape of the parameters needs another loop.
 *
 * @param fields every setting that changed, in the order of the spec
 */
public record SpecChange(List<Field> fields) {

    /** The effect of a change. Later constants are stricter. */
    public enum Verdict {
        /** Takes effect with the next decision or example. */
        IMMEDIATE,
        /** Takes effect with the next generation, which starts at the next promotion. */
        NEXT_GENERATION,
        /** Not possible in this loop. */
        REFUSED
    }

    /** One changed setting, with its verdict and the reason. */
    public record Field(String name, Verdict verdict, String reason) {

        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    public SpecChange {
        fields = List.copyOf(fields);
    }

    public static SpecChange between(LoopSpec before, LoopSpec after) {
        List<Field> changed = new ArrayList<>();
        for (Setting<?> setting : LoopSettings.ALL) {
            if (!before.get(setting).equals(after.get(setting))) {
                ChangeRule rule = setting.change();
                changed.add(
                        new Field(
                                setting.name(),
                                rule.verdict().apply(before, after),
                                rule.reason()));
            }
        }
        return new SpecChange(changed);
    }

    /** The strictest verdict of all settings; immediate if nothing changed. */
    public Verdict verdict() {
        return fields.stream()
                .map(Field::verdict)
                .max(Verdict::compareTo)
                .orElse(Verdict.IMMEDIATE);
    }

    /** The settings with the strictest verdict, and the reasons. */
    @Override
    public String toString() {
        Verdict hardest = verdict();
        return fields.stream()
                .filter(field -> field.verdict() == hardest)
                .map(Field::toString)
                .collect(Collectors.joining("; "));
    }
}
