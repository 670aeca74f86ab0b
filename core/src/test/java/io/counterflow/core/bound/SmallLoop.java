package io.counterflow.core.bound;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Exponential;

/**
 * A loop that is small enough for exact calculations: two contexts, x = −1 and x = 1, equally
 * likely, and two actions. The logging policy is the softmax of the weights (0.4, −0.4); in either
 * context one action is good.
 *
 * <p>A context is 0 for x = −1 and 1 for x = 1. ‖x‖ = 1, so B = 1.
 */
final class SmallLoop {

    /** The logging policy's first weight; the second is its negative. */
    static final double LOGGING_WEIGHT = 0.4;

    /** Probability of a reward, by context and action. */
    static final double[][] REWARD = {{0.2, 0.9}, {0.8, 0.3}};

    /** Propensities by context and action. */
    static final double[][] PROPENSITY = softmax(LOGGING_WEIGHT);

    private SmallLoop() {}

    /** π(a|x) by context and action, of the softmax of the weights (w, −w). */
    static double[][] softmax(double weight) {
        double first = 1.0 / (1.0 + Exponential.exp(-2.0 * weight));
        return new double[][] {{1.0 - first, first}, {first, 1.0 - first}};
    }

    /** π(a|x) of the mixed logit with mean (w, −w): the difference of scores has variance 2σ². */
    static double[][] mixedLogit(double weight, double variance) {
        double first = logisticNormal(2.0 * weight, 2.0 * variance);
        return new double[][] {{1.0 - first, first}, {first, 1.0 - first}};
    }

    /** E[1/(1+exp(−Z))] for normal Z, by the trapezoidal rule over ±8 standard deviations. */
    static double logisticNormal(double mean, double variance) {
        int steps = 200;
        double deviation = Math.sqrt(variance);
        double sum = 0.0;
        double mass = 0.0;
        for (int i = 0; i <= steps; i++) {
            double z = -8.0 + 16.0 * i / steps;
            double density = Exponential.exp(-0.5 * z * z);
            sum += density / (1.0 + Exponential.exp(-(mean + deviation * z)));
            mass += density;
        }
        return sum / mass;
    }

    /** The true value of a policy given by context and action. */
    static double value(double[][] policy) {
        double value = 0.0;
        for (int x = 0; x < 2; x++) {
            for (int a = 0; a < 2; a++) {
                value += 0.5 * policy[x][a] * REWARD[x][a];
            }
        }
        return value;
    }

    /** A log, as numbers of examples by context, action and reward (0 or 1). */
    static int[][][] log(int n, EventRandom random) {
        int[][][] counts = new int[2][2][2];
        for (int i = 0; i < n; i++) {
            int x = random.nextDouble() < 0.5 ? 0 : 1;
            int a = random.nextDouble() < PROPENSITY[x][0] ? 0 : 1;
            int r = random.nextDouble() < REWARD[x][a] ? 1 : 0;
            counts[x][a][r]++;
        }
        return counts;
    }

    /** The truncated IPS value of a policy. */
    static double truncatedIps(int[][][] log, double[][] policy, double floor) {
        double sum = 0.0;
        int n = 0;
        for (int x = 0; x < 2; x++) {
            for (int a = 0; a < 2; a++) {
                sum += log[x][a][1] * policy[x][a] / Math.max(PROPENSITY[x][a], floor);
                n += log[x][a][0] + log[x][a][1];
            }
        }
        return sum / n;
    }
}
