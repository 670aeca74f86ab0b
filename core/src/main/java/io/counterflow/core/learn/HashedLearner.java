package io.counterflow.core.learn;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.HashedModel;
import java.util.Arrays;

/**
 * Learns a {@link HashedModel}.
 *
 * <p>A weight that equals its centre and is in no example has no gradient, and AdaGrad does not
 * change it. So a step visits only the weights that were in an example or started away from the
 * centre. The result is the same as for all 2<sup>bits</sup> weights, at a lower cost. If those are
 * many, all weights are visited in order, which the compiler turns into vector instructions.
 */
final class HashedLearner extends Learner {

    /** More than one weight in so many makes a step over all weights cheaper. */
    private static final int DENSE_BELOW = 16;

    private final int bits;
    private float strength;
    private final double inverseTemperature;
    private final AdaGrad optimizer;

    private final float[] weights;
    private final float[] centre;
    private final float[] gradient;
    private final float[] squaredGradientSum;

    private final boolean[] active;
    private int[] activeIndices = new int[1024];
    private int activeCount;

    private double[] probabilities = new double[16];

    HashedLearner(
            HashedModel start,
            HashedModel centre,
            float strength,
            double inverseTemperature,
            AdaGrad optimizer) {
        this.bits = start.bits();
        this.strength = strength;
        this.inverseTemperature = inverseTemperature;
        this.optimizer = optimizer;
        this.weights = start.weights();
        this.centre = centre.weights();
        this.gradient = new float[weights.length];
        this.squaredGradientSum = new float[weights.length];
        this.active = new boolean[weights.length];
        if (strength > 0.0f) {
            for (int i = 0; i < weights.length; i++) {
                if (weights[i] != this.centre[i]) {
                    activate(i);
                }
            }
        }
    }

    @Override
    public void setStrength(double strength) {
        this.strength = (float) strength;
    }

    @Override
    public void step(
            ExampleLog log,
            double[] coefficients,
            ExampleLoss loss,
            int[] order,
            int from,
            int to) {
        double share = 1.0 / (to - from);
        for (int i = from; i < to; i++) {
            int example = order[i];
            if (coefficients[example] == 0.0) {
                continue;
            }
            ActionFeatures phi = (ActionFeatures) log.features(example);
            int action = log.action(example);
            AllowedActions allowed = log.allowed(example);
            int offered = allowedScores(phi, allowed);
            Softmax.inPlace(probabilities, offered);
            allowed.scatter(probabilities, phi.actions());
            double slope =
                    share
                            * inverseTemperature
                            * loss.slope(
                                    coefficients[example],
                                    log.propensity(example),
                                    probabilities[action]);
            for (int k = 0; k < phi.actions(); k++) {
                if (allowed.contains(k)) {
                    double error = slope * ((k == action ? 1.0 : 0.0) - probabilities[k]);
                    addToGradient(phi, k, (float) error);
                }
            }
        }
        if (activeCount > weights.length / DENSE_BELOW) {
            optimizer.step(gradient, squaredGradientSum, weights, centre, strength);
        } else {
            optimizer.stepAt(
                    activeIndices,
                    activeCount,
                    gradient,
                    squaredGradientSum,
                    weights,
                    centre,
                    strength);
        }
    }

    private void addToGradient(ActionFeatures phi, int action, float error) {
        int end = phi.rowStart(action + 1);
        for (int entry = phi.rowStart(action); entry < end; entry++) {
            int index = phi.index(entry);
            gradient[index] += error * phi.value(entry);
            if (!active[index]) {
                activate(index);
            }
        }
    }

    private void activate(int index) {
        active[index] = true;
        if (activeCount == activeIndices.length) {
            activeIndices = Arrays.copyOf(activeIndices, 2 * activeCount);
        }
        activeIndices[activeCount++] = index;
    }

    @Override
    void logProbabilities(ExampleLog log, boolean rewardedOnly, double[] out) {
        for (int i = 0; i < log.size(); i++) {
            if (rewardedOnly && log.reward(i) == 0.0) {
                out[i] = 0.0;
                continue;
            }
            ActionFeatures phi = (ActionFeatures) log.features(i);
            AllowedActions allowed = log.allowed(i);
            int offered = allowedScores(phi, allowed);
            out[i] =
                    Softmax.logProbability(
                            probabilities, offered, allowed.positionOf(log.action(i)));
        }
    }

    @Override
    public double probability(LoggedExample example) {
        AllowedActions allowed = example.allowed();
        int offered = allowedScores((ActionFeatures) example.features(), allowed);
        Softmax.inPlace(probabilities, offered);
        return probabilities[allowed.positionOf(example.action())];
    }

    /**
     * Writes the scores of the allowed actions, times β, to the start of an array. Returns their
     * number.
     */
    private int allowedScores(ActionFeatures phi, AllowedActions allowed) {
        if (probabilities.length < phi.actions()) {
            probabilities =
                    new double[2 * phi.actions()]; // grows to the size of the largest request
        }
        int offered = 0;
        for (int k = 0; k < phi.actions(); k++) {
            if (allowed.contains(k)) {
                probabilities[offered++] = inverseTemperature * phi.dot(k, weights);
            }
        }
        return offered;
    }

    /**
     * {@inheritDoc}
     *
     * <p>The set of visited weights need not be stored: a weight that equals its centre has no
     * gradient until it is in an example again, and a weight that differs is visited from the
     * start.
     */
    @Override
    void remember(float[] sums) {
        System.arraycopy(sums, 0, squaredGradientSum, 0, squaredGradientSum.length);
    }

    @Override
    public float[] squaredGradientSum() {
        return squaredGradientSum.clone();
    }

    @Override
    public HashedModel model() {
        return new HashedModel(bits, weights);
    }

    @Override
    public void addToMean(float[] mean, int count) {
        addToMean(mean, 0, weights, count);
    }

    @Override
    public String toString() {
        return "learner of a hashed model of " + bits + " bits";
    }
}
