package io.counterflow.core.learn;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;

/**
 * Learns the parameters of a policy with AdaGrad. Not thread safe.
 *
 * <p>A step allocates nothing. Sums have a fixed order, so the same steps give the same bits on any
 * machine.
 */
public abstract sealed class Learner permits DenseLearner, HashedLearner {

    /**
     * Creates a learner.
     *
     * @param centre the centre of the regulariser, of the same shape
     * @param strength λ of the regulariser λ‖μ − centre‖²; 0 for none
     * @param inverseTemperature β of the policy that is learned, softmax(β μ·φ) over the allowed
     *     actions; finite and at least 0
     * @param batchSize maximum number of examples of a step
     */
    public static Learner start(
            LinearModel start,
            LinearModel centre,
            double strength,
            double inverseTemperature,
            AdaGrad optimizer,
            int batchSize) {
        Require.finiteAtLeastZero(strength, "lambda");
        Require.finiteAtLeastZero(inverseTemperature, "inverseTemperature");
        Require.atLeast(1, batchSize, "batchSize");
        start.squaredDistance(centre); // refuses models of different shapes
        if (start instanceof DenseModel dense) {
            return new DenseLearner(
                    dense,
                    (DenseModel) centre,
                    (float) strength,
                    inverseTemperature,
                    optimizer,
                    batchSize);
        }
        return new HashedLearner(
                (HashedModel) start,
                (HashedModel) centre,
                (float) strength,
                inverseTemperature,
                optimizer);
    }

    /**
     * Continues with AdaGrad's state of earlier steps: with the parameters and the state of another
     * learner, the same steps give the same bits as that learner.
     *
     * @param squaredGradientSum the result of {@link #squaredGradientSum()}. Not modified.
     */
    public static Learner resume(
            LinearModel start,
            LinearModel centre,
            double strength,
            double inverseTemperature,
            AdaGrad optimizer,
            int batchSize,
            float[] squaredGradientSum) {
        long expected = start.weightCount() + start.biasCount();
        if (squaredGradientSum.length != expected) {
            throw new IllegalArgumentException(
                    "squaredGradientSum must have %d numbers, one for each parameter, got %d"
                            .formatted(expected, squaredGradientSum.length));
        }
        for (float sum : squaredGradientSum) {
            Require.atLeastZero(sum, "squaredGradientSum"); // +∞ if the sum has overflowed
        }
        Learner learner = start(start, centre, strength, inverseTemperature, optimizer, batchSize);
        learner.remember(squaredGradientSum);
        return learner;
    }

    /** Regularises biases like weights, towards the centre. No effect on a model without biases. */
    public void regulariseBiases() {}

    /**
     * Sets the strength of the regulariser for later steps.
     *
     * @param strength λ, above 0; the learner must have started with one above 0
     */
    public abstract void setStrength(double strength);

    /** Overwrites AdaGrad's state. */
    abstract void remember(float[] squaredGradientSum);

    /**
     * AdaGrad's state, a number for each parameter: weights action by action, then biases; a copy.
     */
    public abstract float[] squaredGradientSum();

    /**
     * Takes one AdaGrad step on a mini-batch.
     *
     * @param coefficients {@link ExampleLoss#coefficient} of every example of the log. Examples
     *     with a coefficient of zero have no gradient but count in the mean of the mini-batch.
     * @param order positions in the log; [from, to) is the mini-batch. Not modified.
     */
    public abstract void step(
            ExampleLog log, double[] coefficients, ExampleLoss loss, int[] order, int from, int to);

    /**
     * Computes ln π(a|x) of every example of the log, among the actions that were allowed, into the
     * start of {@code out}.
     */
    public final void logProbabilities(ExampleLog log, double[] out) {
        logProbabilities(log, false, out);
    }

    /** The same, but if {@code rewardedOnly}, examples without a reward get 0. */
    abstract void logProbabilities(ExampleLog log, boolean rewardedOnly, double[] out);

    /**
     * π(a|x) of an example under the current parameters, among the actions that were allowed,
     * without an exploration floor.
     */
    public abstract double probability(LoggedExample example);

    /** The current parameters; a copy. */
    public abstract LinearModel model();

    /**
     * Adds the current parameters to a mean of parameters.
     *
     * @param mean a number for each parameter: weights action by action, then biases. Overwritten.
     * @param count number of terms of the mean, with this one; the first replaces zeros
     */
    public abstract void addToMean(float[] mean, int count);

    /** Adds parameters to a part of a mean. */
    static void addToMean(float[] mean, int from, float[] parameters, int count) {
        float share = 1.0f / count;
        for (int i = 0; i < parameters.length; i++) {
            mean[from + i] += share * (parameters[i] - mean[from + i]);
        }
    }
}
