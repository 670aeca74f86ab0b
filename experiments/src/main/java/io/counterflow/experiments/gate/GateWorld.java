package io.counterflow.experiments.gate;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import java.util.Arrays;
import java.util.function.DoubleFunction;

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
        return model(factor, factor);
    }

    /** The same with a factor for every other context, and another one for the rest. */
    private DenseModel model(double factor, double otherFactor) {
        double mean = 0.0;
        for (double[] ofContext : rewards) {
            for (double reward : ofContext) {
                mean += reward / (CONTEXTS * ACTIONS);
            }
        }
        float[][] weights = new float[ACTIONS][CONTEXTS];
        for (int action = 0; action < ACTIONS; action++) {
            for (int context = 0; context < CONTEXTS; context++) {
                double used = context % 2 == 0 ? factor : otherFactor;
                weights[action][context] = (float) (used * rewards[context][action] / mean);
            }
        }
        return new DenseModel(weights, new float[ACTIONS]);
    }

    /** The probabilities of a policy by context and action, if all actions are allowed. */
    double[][] probabilities(Policy policy) {
        double[][] probabilities = new double[CONTEXTS][ACTIONS];
        for (int context = 0; context < CONTEXTS; context++) {
            policy.probabilities(features(context), AllowedActions.ALL, probabilities[context]);
        }
        return probabilities;
    }

    /** The value of a policy if all actions are allowed. */
    double value(Policy policy) {
        double[][] probabilities = probabilities(policy);
        double value = 0.0;
        for (int context = 0; context < CONTEXTS; context++) {
            for (int action = 0; action < ACTIONS; action++) {
                value += probabilities[context][action] * rewards[context][action] / CONTEXTS;
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
        return search((1.0 + gain) * startValue(), this::model);
    }

    /**
     * A model whose softmax is as good as that of {@link #start} but chooses other actions: better
     * ones in half of the contexts, and worse ones in the others.
     *
     * @param factor above 1; the larger, the more it differs
     * @param even whether it is better in the contexts with even numbers
     */
    DenseModel equalModel(double factor, boolean even) {
        return search(startValue(), other -> even ? model(factor, other) : model(other, factor));
    }

    /** The value of the policy that always chooses the best action. */
    double bestValue() {
        double value = 0.0;
        for (double[] ofContext : rewards) {
            value += Arrays.stream(ofContext).max().orElseThrow() / CONTEXTS;
        }
        return value;
    }

    /** The value of {@link #start}. */
    double startValue() {
        return value(Policy.softmax(start()));
    }

    private DenseModel search(double wanted, DoubleFunction<DenseModel> models) {
        double low = -20.0;
        double high = 20.0;
        if (value(Policy.softmax(models.apply(low))) > wanted
                || value(Policy.softmax(models.apply(high))) < wanted) {
            throw new IllegalArgumentException("the world has no policy of the value " + wanted);
        }
        while (high - low > 1e-9) {
            double middle = 0.5 * (low + high);
            if (value(Policy.softmax(models.apply(middle))) < wanted) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return models.apply(low);
    }
}
