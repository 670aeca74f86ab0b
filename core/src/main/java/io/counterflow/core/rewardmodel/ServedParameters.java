package io.counterflow.core.rewardmodel;

import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import java.util.BitSet;

/**
 * The parameters of the policy of a reward model, α w<sub>start</sub> + w, times a factor.
 *
 * <p>They are kept from one policy to the next, and only those that have changed are computed
 * again: few examples change few of many weights.
 */
final class ServedParameters {

    /** As in specs, so that scores are finite and a version can be a starting policy. */
    private static final double MAX_PARAMETER = 1e15;

    private final LinearModel start;
    private final float[] ofStart; // empty without a starting policy
    private final float[] served;
    private final BitSet changed;
    private double factor = Double.NaN;
    private double offsetWeight = Double.NaN;

    /**
     * @param hasOffset whether α may differ from 0
     */
    ServedParameters(LinearModel start, boolean hasOffset) {
        this.start = start;
        this.ofStart = hasOffset ? FlatParameters.of(start) : new float[0];
        this.served = new float[Math.toIntExact(start.weightCount() + start.biasCount())];
        this.changed = new BitSet(served.length);
    }

    /** Notes that an example has changed the parameters of its features. */
    void change(ChosenFeatures features) {
        for (int i = 0; i < features.size(); i++) {
            changed.set(features.position(i));
        }
    }

    /** Notes that all parameters may have changed. */
    void changeAll() {
        factor = Double.NaN;
    }

    /**
     * The policy of a belief.
     *
     * @param weightOfStart α
     */
    LinearModel model(LogisticBelief belief, double weightOfStart, double newFactor) {
        if (newFactor == factor && weightOfStart == offsetWeight) {
            for (int i = changed.nextSetBit(0); i >= 0; i = changed.nextSetBit(i + 1)) {
                served[i] = parameter(belief, i);
            }
        } else {
            factor = newFactor;
            offsetWeight = weightOfStart;
            for (int i = 0; i < served.length; i++) {
                served[i] = parameter(belief, i);
            }
        }
        changed.clear();
        return FlatParameters.toModel(start, served);
    }

    private float parameter(LogisticBelief belief, int i) {
        double offset = ofStart.length > 0 ? offsetWeight * ofStart[i] : 0.0;
        double parameter = factor * (offset + belief.mean(i));
        return (float) Math.max(-MAX_PARAMETER, Math.min(MAX_PARAMETER, parameter));
    }
}
