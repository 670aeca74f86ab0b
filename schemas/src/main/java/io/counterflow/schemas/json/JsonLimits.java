package io.counterflow.schemas.json;

import io.counterflow.core.numeric.Require;

/**
 * What JSON from outside may cost.
 *
 * @param maxDepth deepest nesting of objects and arrays
 * @param maxStringLength longest string or name, in characters
 * @param maxFeatures most feature values of one impression, those of its actions included
 * @param maxActions most actions of one impression
 */
public record JsonLimits(int maxDepth, int maxStringLength, int maxFeatures, int maxActions) {

    private static final JsonLimits DEFAULTS = new JsonLimits(32, 65_536, 1_000_000, 10_000);

    public JsonLimits {
        Require.atLeast(1, maxDepth, "maxDepth");
        Require.atLeast(1, maxStringLength, "maxStringLength");
        Require.atLeast(1, maxFeatures, "maxFeatures");
        Require.atLeast(1, maxActions, "maxActions");
    }

    /** Depth 32, strings of 64 Ki characters, a million features, ten thousand actions. */
    public static JsonLimits defaults() {
        return DEFAULTS;
    }
}
