package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.numeric.EventRandom;
import java.util.Arrays;

/**
 * The noise of hashed features by its definition: a normal for every weight that the request uses,
 * in the order of the indices. Other weights do not affect the scores.
 */
final class WeightNoise implements ScoreNoise {

    private final ActionFeatures phi;
    private final double deviation;
    private final int[] slots;
    private final double[] draws;

    /**
     * @param deviation σ
     */
    WeightNoise(ActionFeatures phi, double deviation) {
        this.phi = phi;
        this.deviation = deviation;
        int entries = phi.rowStart(phi.actions());
        int[] touched = new int[entries];
        for (int i = 0; i < entries; i++) {
            touched[i] = phi.index(i);
        }
        touched = Arrays.stream(touched).sorted().distinct().toArray();
        this.draws = new double[touched.length];
        this.slots = new int[entries];
        for (int i = 0; i < entries; i++) {
            slots[i] = Arrays.binarySearch(touched, phi.index(i));
        }
    }

    @Override
    public void addTo(double[] scores, EventRandom random) {
        for (int slot = 0; slot < draws.length; slot++) {
            draws[slot] = deviation * random.nextGaussian();
        }
        for (int action = 0; action < scores.length; action++) {
            double sum = 0.0;
            for (int i = phi.rowStart(action); i < phi.rowStart(action + 1); i++) {
                sum += phi.value(i) * draws[slots[i]];
            }
            scores[action] += sum;
        }
    }
}
