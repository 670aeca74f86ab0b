package io.counterflow.experiments.gate;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;

/**
 * A decision problem with a few equally likely contexts, in which the value of every policy is
 * known exactly.
 */
final class GateWorld {

    static final int CONTEXTS = 8;
    static final int ACTIONS = 5;

    private final double[][] rewards; // probability of a reward by context and action

    /**
     * @param rate mean reward of the uniform policy, approximately; at most 0.5
     */
    GateWorld(double rate, long seed) {
        EventRandom random = new EventRandom(seed);
        this.rewards = new double[CONTEXTS][ACTIONS];
        for (double[] ofContext : rewards) {
            for (int action = 0; action < ACTIONS; action++) {
                ofContext[action] = 2.0 * rate * random.nextDouble();
            }
        }
    }

    static DenseVector features(int context) {
        float[] oneHot = new float[CONTEXTS];
        oneHot[context] = 1.0f;
        return DenseVector.owning(oneHot);
    }

    double reward(int context, int action) {
        return rewards[context][action];
    }

    /** A policy that prefers good actions. */
    DenseModel start() {
        return model(1.0);
    }

    /** Scores that are proportional to the true rewards: the higher the factor, the better. */
    private DenseModel model(double factor) {
        double mean = 0.0;
        for (double[] ofContext : rewards) {
            for (double reward : ofContext) {
                mean += reward / (CONTEXTS * ACTIONS);
            }
        }
        float[][] weights = new float[ACTIONS][CONTEXTS];
        for (int action = 0; action < ACTIONS; action++) {
            for (int context = 0; context < CONTEXTS; context++) {
                weights[action][context] = (float) (factor * rewards[context][action] / mean);
            }
        }
        return new DenseModel(weights, new float[ACTIONS]);
    }

    /** The value of a policy if all actions are allowed. */
    private double value(Policy policy) {
        double[] probabilities = new double[ACTIONS];
        double value = 0.0;
        for (int context = 0; context < CONTEXTS; context++) {
            policy.probabilities(features(context), AllowedActions.ALL, probabilities);
            for (int action = 0; action < ACTIONS; action++) {
                value += probabilities[action] * rewards[context][action] / CONTEXTS;
            }
        }
        return value;
    }

    /**
     * A model whose softmax is better than that of {@link #start} by a relative gain.
     *
     * @param gain such as 0.1 for 10 % more rewards; negative for a worse one
     * @throws IllegalArgumentException if no factor reaches the gain
     */
    DenseModel modelWithGain(double gain) {
        double wanted = (1.0 + gain) * value(Policy.softmax(start()));
        double low = -20.0;
        double high = 20.0;
        if (value(Policy.softmax(model(high))) < wanted) {
            throw new IllegalArgumentException("the world has no policy with a gain of " + gain);
        }
        while (high - low > 1e-9) {
            double middle = 0.5 * (low + high);
            if (value(Policy.softmax(model(middle))) < wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return model(low);
    }
}
