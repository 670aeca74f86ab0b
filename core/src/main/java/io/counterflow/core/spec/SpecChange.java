package io.counterflow.core.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What changing a loop's spec while it runs means, setting by setting.
 *
 * <p>A change that only concerns what is still to come is immediate. A change of what the
 * parameters were learned for, or of what must be fixed before the data, waits for the next
 * generation. Parameters of another shape belong to another loop.
 *
 * @param fields every setting that changed, in the order of the spec
 */
public record SpecChange(List<Field> fields) {

    /** What a change means; the later, the harder. */
    public enum Verdict {
        /** Takes effect from the next decision or example on. */
        IMMEDIATE,
        /** Takes effect with the next generation, which starts at the next promotion. */
        NEXT_GENERATION,
        /** Not possible in this loop. */
        REFUSED
    }

    /** One setting that changed, and why its verdict is what it is. */
    public record Field(String name, Verdict verdict, String reason) {

        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    public SpecChange {
        fields = List.copyOf(fields);
    }

    /** Compares two specs. */
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

    /** The hardest verdict of all settings; immediate where nothing changed. */
    public Verdict verdict() {
        return fields.stream()
                .map(Field::verdict)
                .max(Verdict::compareTo)
                .orElse(Verdict.IMMEDIATE);
    }

    /** The settings with the hardest verdict, and why. */
    @Override
    public String toString() {
        Verdict hardest = verdict();
        return fields.stream()
                .filter(field -> field.verdict() == hardest)
                .map(Field::toString)
                .collect(Collectors.joining("; "));
    }
}
