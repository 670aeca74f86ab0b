package io.counterflow.core.policy;

import io.counterflow.core.numeric.EventRandom;

/**
 * What normal weights do to the scores of one request: g · φ(x, a) for g ~ N(0, σ²I), jointly for
 * all actions a.
 */
interface ScoreNoise {

    /** Adds one joint draw to the scores, an entry per action. */
    void addTo(double[] scores, EventRandom random);
}
