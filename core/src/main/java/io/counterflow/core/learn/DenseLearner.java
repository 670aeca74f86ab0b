package io.counterflow.core.learn;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.policy.DenseModel;

/**
 * Learns a {@link DenseModel}. Dense contexts go through {@link BatchProducts}, sparse ones not.
 */
final class DenseLearner extends Learner {

    private final int actions;
    private final int dimension;
    private final float strength;
    private final AdaGrad optimizer;

    private final float[][] weights;
    private final float[][] centre;
    private final float[][] gradient;
    private final float[][] squaredGradientSum;
    private final float[] biases;
    private final float[] biasGradient;
    private final float[] biasSquaredGradientSum;

    private final BatchProducts products;
    private final int[] batch; // positions in the log
    private final float[][] contexts;
    private final float[][] scores; // by action, then by position in the batch
    private final float[][] errors;
    private final double[] probabilities;

    DenseLearner(
            DenseModel start, DenseModel centre, float strength, AdaGrad optimizer, int batchSize) {
        this.actions = start.actions();
        this.dimension = start.dimension();
        this.strength = strength;
        this.optimizer = optimizer;
        this.weights = weightsOf(start);
        this.centre = weightsOf(centre);
        this.gradient = new float[actions][dimension];
        this.squaredGradientSum = new float[actions][dimension];
        this.biases = start.biases();
        this.biasGradient = new float[actions];
        this.biasSquaredGradientSum = new float[actions];
        this.products = BatchProducts.ofThisMachine(batchSize, dimension);
        this.batch = new int[batchSize];
        this.contexts = new float[batchSize][];
        this.scores = new float[actions][batchSize];
        this.errors = new float[actions][batchSize];
        this.probabilities = new double[actions];
    }

    private static float[][] weightsOf(DenseModel model) {
        float[][] weights = new float[model.actions()][];
        for (int k = 0; k < weights.length; k++) {
            weights[k] = model.weights(k);
        }
        return weights;
    }

    @Override
    public void step(
            ExampleLog log,
            double[] coefficients,
            ExampleLoss loss,
            int[] order,
            int from,
            int to) {
        int count = 0;
        for (int i = from; i < to; i++) {
            if (coefficients[order[i]] != 0.0) {
                batch[count++] = order[i];
            }
        }
        boolean dense = computeScores(log, count);
        double share = 1.0 / (to - from);
        for (int i = 0; i < count; i++) {
            int example = batch[i];
            softmax(i);
            int action = log.action(example);
            double slope =
                    share
                            * loss.slope(
                                    coefficients[example],
                                    log.propensity(example),
                                    probabilities[action]);
            for (int k = 0; k < actions; k++) {
                float error = (float) (slope * ((k == action ? 1.0 : 0.0) - probabilities[k]));
                errors[k][i] = error;
                biasGradient[k] += error;
            }
        }
        if (dense) {
            products.addGradient(contexts, count, errors, gradient);
        } else {
            for (int i = 0; i < count; i++) {
                FeatureVector x = (FeatureVector) log.features(batch[i]);
                for (int k = 0; k < actions; k++) {
                    x.addTo(errors[k][i], gradient[k]);
                }
            }
        }
        for (int k = 0; k < actions; k++) {
            optimizer.step(gradient[k], squaredGradientSum[k], weights[k], centre[k], strength);
        }
        optimizer.step(biasGradient, biasSquaredGradientSum, biases, biases, 0.0f);
    }

    @Override
    void logProbabilities(ExampleLog log, boolean rewardedOnly, double[] out) {
        int count = 0;
        for (int i = 0; i < log.size(); i++) {
            if (rewardedOnly && log.reward(i) == 0.0) {
                out[i] = 0.0;
                continue;
            }
            batch[count++] = i;
            if (count == batch.length) {
                logProbabilitiesOfBatch(log, count, out);
                count = 0;
            }
        }
        logProbabilitiesOfBatch(log, count, out);
    }

    private void logProbabilitiesOfBatch(ExampleLog log, int count, double[] out) {
        computeScores(log, count);
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < actions; k++) {
                probabilities[k] = scores[k][i];
            }
            out[batch[i]] = Softmax.logProbability(probabilities, actions, log.action(batch[i]));
        }
    }

    /** Fills the scores of the first {@code count} of the batch; true if all contexts are dense. */
    private boolean computeScores(ExampleLog log, int count) {
        boolean dense = true;
        for (int i = 0; i < count; i++) {
            if (log.features(batch[i]) instanceof DenseVector x) {
                contexts[i] = x.values();
            } else {
                dense = false;
            }
        }
        if (dense) {
            products.scores(contexts, count, weights, biases, scores);
        } else {
            for (int i = 0; i < count; i++) {
                FeatureVector x = (FeatureVector) log.features(batch[i]);
                for (int k = 0; k < actions; k++) {
                    scores[k][i] = x.dot(weights[k], biases[k]);
                }
            }
        }
        return dense;
    }

    private void softmax(int i) {
        for (int k = 0; k < actions; k++) {
            probabilities[k] = scores[k][i];
        }
        Softmax.inPlace(probabilities, actions);
    }

    @Override
    void remember(float[] sums) {
        for (int k = 0; k < actions; k++) {
            System.arraycopy(sums, k * dimension, squaredGradientSum[k], 0, dimension);
        }
        System.arraycopy(sums, actions * dimension, biasSquaredGradientSum, 0, actions);
    }

    @Override
    public float[] squaredGradientSum() {
        float[] sums = new float[actions * dimension + actions];
        for (int k = 0; k < actions; k++) {
            System.arraycopy(squaredGradientSum[k], 0, sums, k * dimension, dimension);
        }
        System.arraycopy(biasSquaredGradientSum, 0, sums, actions * dimension, actions);
        return sums;
    }

    @Override
    public DenseModel model() {
        return new DenseModel(weights, biases);
    }

    @Override
    public String toString() {
        return "learner of a dense model of " + actions + " actions x " + dimension + " features";
    }
}
