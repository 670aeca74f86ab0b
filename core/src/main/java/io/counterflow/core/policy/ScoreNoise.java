package io.counterflow.core.policy;

import io.counterflow.core.numeric.EventRandom;

/**
 * The noise of the scores of one request with normal weights: g · φ(x, a) for g ~ N(0, σ²I),
 * jointly for all actions a.
 */
interface ScoreNoise {

    /** Adds one joint draw to the scores, one entry per action. */
    void addTo(double[] scores, EventRandom random);
}
