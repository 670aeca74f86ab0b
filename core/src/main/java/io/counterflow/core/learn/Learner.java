package io.counterflow.core.learn;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;

/**
 * Parameters on their way from a start to a better policy, with AdaGrad's memory. Not thread safe.
 *
 * <p>A step allocates nothing. Sums have a fixed order, so the same steps give the same bits on any
 * machine.
 */
public abstract sealed class Learner permits DenseLearner, HashedLearner {

    /**
     * Starts to learn.
     *
     * @param start first parameters
     * @param centre what the regulariser pulls the weights to; of the same shape
     * @param strength λ of the regulariser λ‖μ − centre‖²; 0 for none
     * @param inverseTemperature β of the policy that is learned, softmax(β μ·φ) over the allowed
     *     actions; finite and at least 0
     * @param batchSize most examples a step will take
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
     * Goes on to learn with AdaGrad's memory of earlier steps: with the parameters and the memory
     * of another learner, the same steps give the same bits as if that one had gone on.
     *
     * @param squaredGradientSum what {@link #squaredGradientSum()} gave. Not modified.
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
            Require.atLeastZero(sum, "squaredGradientSum"); // +∞ is a sum that has overflowed
        }
        Learner learner = start(start, centre, strength, inverseTemperature, optimizer, batchSize);
        learner.remember(squaredGradientSum);
        return learner;
    }

    /** Overwrites AdaGrad's memory. */
    abstract void remember(float[] squaredGradientSum);

    /**
     * AdaGrad's memory, a number for each parameter: weights action by action, then biases; a copy.
     */
    public abstract float[] squaredGradientSum();

    /**
     * Takes one AdaGrad step on a mini-batch.
     *
     * @param coefficients {@link ExampleLoss#coefficient} of every example of the log. Examples
     *     where it is zero have no data gradient but count in the mini-batch's mean.
     * @param order positions in the log, of which [from, to) are the mini-batch. Not modified.
     */
    public abstract void step(
            ExampleLog log, double[] coefficients, ExampleLoss loss, int[] order, int from, int to);

    /**
     * Computes ln π(a|x) of every example of the log, among the actions that were allowed, into the
     * head of {@code out}.
     */
    public final void logProbabilities(ExampleLog log, double[] out) {
        logProbabilities(log, false, out);
    }

    /**
     * The same, or where {@code rewardedOnly}, only for examples with a reward above 0; the others
     * get 0.
     */
    abstract void logProbabilities(ExampleLog log, boolean rewardedOnly, double[] out);

    /** The parameters as they are now; a copy. */
    public abstract LinearModel model();
}
