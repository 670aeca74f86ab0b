package io.counterflow.core.objective;

import io.counterflow.core.numeric.Exponential;

/**
 * IPS that trusts a weight w = π(a|x)/p only between 1/M and M: −r w̃ (1 + ln(w/w̃)), with w̃ the
 * number nearest to w in [1/M, M]. Beyond the paper.
 *
 * <p>Where w is trusted, w̃ = w and this is −r w, plain IPS. Elsewhere it is the tangent of w at
 * the end of the range, taken in ln π; as ln t ≤ t − 1, it never promises more than IPS does.
 *
 * <ul>
 *   <li>Below 1/M the slope of IPS vanishes with π: an action that was given up for some contexts
 *       is not found again. Here its rewards go on pulling. In return, an action that is rewarded
 *       less than another keeps up to 1/M of the probability that it was logged with.
 *   <li>Above M the slope of IPS grows with 1/p: one lucky draw of a rare action outweighs all
 *       others. Here it counts for M examples. In return, the probability of an action that was
 *       rare in the log grows more slowly; the next generation, which logs it more often, goes on.
 * </ul>
 *
 * @param trust M, in (1, 1e6]. Higher: nearer to IPS; towards 1 it is the likelihood of rewarded
 *     actions
 */
record TrustedWeightLoss(double trust) implements ExampleLoss {

    private static final double LARGEST = 1e6;

    TrustedWeightLoss {
        if (!(trust > 1.0 && trust <= LARGEST)) { // keeps gradients within a float
            throw new IllegalArgumentException("trust must be in (1, 1e6], got " + trust);
        }
    }

    @Override
    public double coefficient(double propensity, double reward) {
        return reward;
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        double trusted = trusted(propensity, Exponential.exp(logProbability));
        // In logarithms: π/p of a tiny p is beyond a double.
        double beyond = logProbability - StrictMath.log(propensity) - StrictMath.log(trusted);
        return -coefficient * trusted * (1.0 + beyond);
    }

    @Override
    public double slope(double coefficient, double propensity, double probability) {
        return -coefficient * trusted(propensity, probability);
    }

    /** w̃. */
    private double trusted(double propensity, double probability) {
        return Math.min(Math.max(probability / propensity, 1.0 / trust), trust);
    }
}
