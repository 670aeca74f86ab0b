package io.counterflow.core.learn;

import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;

/**
 * Learns a {@link DenseModel}. Dense contexts use {@link BatchProducts}, sparse contexts do not.
 */
final class DenseLearner extends Learner {

    private final int actions;
    private final int dimension;
    private float strength;
    private final double inverseTemperature;
    private final AdaGrad optimizer;

    private final float[][] weights;
    private final float[][] centre;
    private final float[][] gradient;
    private final float[][] squaredGradientSum;
    private final float[] biases;
    private final float[] biasCentre;
    private boolean biasesRegularised;
    private final float[] biasGradient;
    private final float[] biasSquaredGradientSum;

    private final BatchProducts products;
    private final MiniBatch batch;
    private final float[][] scores; // by action, then by position in the batch
    private final float[][] errors;
    private final double[] probabilities;

    DenseLearner(
            DenseModel start,
            DenseModel centre,
            float strength,
            double inverseTemperature,
            AdaGrad optimizer,
            int batchSize) {
        this.actions = start.actions();
        this.dimension = start.dimension();
        this.strength = strength;
        this.inverseTemperature = inverseTemperature;
        this.optimizer = optimizer;
        this.weights = weightsOf(start);
        this.centre = weightsOf(centre);
        this.gradient = new float[actions][dimension];
        this.squaredGradientSum = new float[actions][dimension];
        this.biases = start.biases();
        this.biasCentre = centre.biases();
        this.biasGradient = new float[actions];
        this.biasSquaredGradientSum = new float[actions];
        this.products = BatchProducts.ofThisMachine(batchSize, dimension);
        this.batch = new MiniBatch(batchSize);
        this.scores = new float[actions][batchSize];
        this.errors = new float[actions][batchSize];
        this.probabilities = new double[actions];
    }

    @Override
    public void regulariseBiases() {
        biasesRegularised = true;
    }

    @Override
    public void setStrength(double strength) {
        this.strength = (float) strength;
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
        batch.take(coefficients, order, from, to);
        boolean dense = computeScores(log);
        computeErrors(loss, 1.0 / (to - from));
        if (dense) {
            products.addGradient(batch.contexts(), batch.count(), errors, gradient);
        } else {
            for (int i = 0; i < batch.count(); i++) {
                FeatureVector x = (FeatureVector) log.features(batch.position(i));
                for (int k = 0; k < actions; k++) {
                    x.addTo(errors[k][i], gradient[k]);
                }
            }
        }
        for (int k = 0; k < actions; k++) {
            optimizer.step(gradient[k], squaredGradientSum[k], weights[k], centre[k], strength);
        }
        optimizer.step(
                biasGradient,
                biasSquaredGradientSum,
                biases,
                biasCentre,
                biasesRegularised ? strength : 0.0f);
    }

    /** Computes the slope of each score, and the gradient of the biases, which is their sum. */
    private void computeErrors(ExampleLoss loss, double share) {
        for (int i = 0; i < batch.count(); i++) {
            softmax(i);
            int action = batch.action(i);
            double slope =
                    share
                            * inverseTemperature
                            * loss.slope(
                                    batch.coefficient(i),
                                    batch.propensity(i),
                                    probabilities[action]);
            // An action that was not allowed has probability 0 and no gradient.
            for (int k = 0; k < actions; k++) {
                float error = (float) (slope * ((k == action ? 1.0 : 0.0) - probabilities[k]));
                errors[k][i] = error;
                biasGradient[k] += error;
            }
        }
    }

    /** The probabilities of example i; 0 for actions that were not allowed. */
    private void softmax(int i) {
        if (batch.isRestricted()) {
            AllowedActions allowed = batch.allowed(i);
            Softmax.inPlace(probabilities, allowedScores(i, allowed));
            allowed.scatter(probabilities, actions);
            return;
        }
        for (int k = 0; k < actions; k++) {
            probabilities[k] = inverseTemperature * scores[k][i];
        }
        Softmax.inPlace(probabilities, actions);
    }

    @Override
    void logProbabilities(ExampleLog log, boolean rewardedOnly, double[] out) {
        batch.clear();
        for (int i = 0; i < log.size(); i++) {
            if (rewardedOnly && log.reward(i) == 0.0) {
                out[i] = 0.0;
                continue;
            }
            batch.add(i);
            if (batch.isFull()) {
                logProbabilitiesOfBatch(log, out);
                batch.clear();
            }
        }
        logProbabilitiesOfBatch(log, out);
    }

    @Override
    public double probability(LoggedExample example) {
        FeatureVector x = (FeatureVector) example.features();
        for (int k = 0; k < actions; k++) {
            probabilities[k] = inverseTemperature * x.dot(weights[k], biases[k]);
        }
        AllowedActions allowed = example.allowed();
        allowed.gather(probabilities, actions);
        Softmax.inPlace(probabilities, allowed.count(actions));
        return probabilities[allowed.positionOf(example.action())];
    }

    private void logProbabilitiesOfBatch(ExampleLog log, double[] out) {
        computeScores(log);
        for (int i = 0; i < batch.count(); i++) {
            AllowedActions allowed = batch.allowed(i);
            int offered = allowedScores(i, allowed);
            out[batch.position(i)] =
                    Softmax.logProbability(
                            probabilities, offered, allowed.positionOf(batch.action(i)));
        }
    }

    /** Fetches the batch and fills its scores; true if all contexts are dense. */
    private boolean computeScores(ExampleLog log) {
        boolean dense = batch.fetch(log);
        if (dense) {
            products.scores(batch.contexts(), batch.count(), weights, biases, scores);
        } else {
            for (int i = 0; i < batch.count(); i++) {
                FeatureVector x = (FeatureVector) log.features(batch.position(i));
                for (int k = 0; k < actions; k++) {
                    scores[k][i] = x.dot(weights[k], biases[k]);
                }
            }
        }
        return dense;
    }

    /**
     * Writes the scores of the allowed actions, times β, to the start of an array. Returns their
     * number.
     */
    private int allowedScores(int i, AllowedActions allowed) {
        for (int k = 0; k < actions; k++) {
            probabilities[k] = inverseTemperature * scores[k][i];
        }
        allowed.gather(probabilities, actions);
        return allowed.count(actions);
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
    public void addToMean(float[] mean, int count) {
        for (int k = 0; k < actions; k++) {
            addToMean(mean, k * dimension, weights[k], count);
        }
        addToMean(mean, actions * dimension, biases, count);
    }

    @Override
    public String toString() {
        return "learner of a dense model of " + actions + " actions x " + dimension + " features";
    }
}
