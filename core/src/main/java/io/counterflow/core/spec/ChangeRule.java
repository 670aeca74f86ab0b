package io.counterflow.core.spec;

import io.counterflow.core.text.JsonName;
import java.util.function.BiFunction;

/**
 * The effect of changing one setting of a running loop.
 *
 * @param verdict from the specs before and after
 * @param words the verdict as the documentation states it
 */
record ChangeRule(
        BiFunction<LoopSpec, LoopSpec, SpecChange.Verdict> verdict, String words, String reason) {

    static ChangeRule immediate(String reason) {
        return always(SpecChange.Verdict.IMMEDIATE, reason);
    }

    static ChangeRule nextGeneration(String reason) {
        return always(SpecChange.Verdict.NEXT_GENERATION, reason);
    }

    static ChangeRule refused(String reason) {
        return always(SpecChange.Verdict.REFUSED, reason);
    }

    private static ChangeRule always(SpecChange.Verdict verdict, String reason) {
        return new ChangeRule((before, after) -> verdict, "`" + JsonName.of(verdict) + "`", reason);
    }
}
