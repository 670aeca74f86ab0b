package io.counterflow.schemas.json;

import io.counterflow.core.numeric.Require;

/**
 * Limits for untrusted JSON.
 *
 * @param maxDepth maximum nesting of objects and arrays
 * @param maxStringLength maximum length of a string or name, in characters
 * @param maxFeatures maximum number of feature values of one impression, including those of its
 *     actions
 * @param maxActions maximum number of actions of one impression
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
