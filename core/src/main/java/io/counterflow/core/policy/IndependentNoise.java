package io.counterflow.core.policy;

import io.counterflow.core.numeric.EventRandom;

/**
 * The noise of block features: φ(x, a) is x in block a, so the actions share no weight and their
 * scores are independent N(0, σ²‖x‖²). K normals instead of K·d.
 *
 * @param deviation σ‖x‖
 */
record IndependentNoise(double deviation) implements ScoreNoise {

    @Override
    public void addTo(double[] scores, EventRandom random) {
        for (int action = 0; action < scores.length; action++) {
            scores[action] += deviation * random.nextGaussian();
        }
    }
}
