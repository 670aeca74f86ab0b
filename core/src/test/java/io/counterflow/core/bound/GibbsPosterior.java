package io.counterflow.core.bound;

import io.counterflow.core.numeric.Exponential;

/**
 * A distribution over the four maps from the two contexts of {@link SmallLoop} to its two actions,
 * that favours maps with high rewards in a log. The prior is uniform over them.
 */
final class GibbsPosterior {

    private final double divergence;
    private final double[][] policy = new double[2][2];

    GibbsPosterior(int[][][] log, double floor) {
        double[] weights = new double[4];
        double total = 0.0;
        for (int h = 0; h < 4; h++) {
            double value = SmallLoop.truncatedIps(log, map(h), floor);
            weights[h] = Exponential.exp(50.0 * (value - 1.0));
            total += weights[h];
        }
        double kl = 0.0;
        for (int h = 0; h < 4; h++) {
            double q = weights[h] / total;
            kl += q > 0.0 ? q * StrictMath.log(4.0 * q) : 0.0;
            for (int x = 0; x < 2; x++) {
                for (int a = 0; a < 2; a++) {
                    policy[x][a] += q * map(h)[x][a];
                }
            }
        }
        this.divergence = Math.max(0.0, kl);
    }

    /** The h-th map from contexts to actions, as a policy. */
    private static double[][] map(int h) {
        double[][] policy = new double[2][2];
        policy[0][h & 1] = 1.0;
        policy[1][h >> 1] = 1.0;
        return policy;
    }

    /** KL(Q‖P). */
    double divergence() {
        return divergence;
    }

    /** π<sub>Q</sub>(a|x) by context and action. */
    double[][] policy() {
        return policy;
    }
}
