package io.counterflow.core.objective;

import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;

/**
 * IPS that trusts a weight w = π(a|x)/p only between 1/M and M: −r w̃ (1 + ln(w/w̃)), with w̃ the
 * number nearest to w in [1/M, M]. Not in the paper.
 *
 * <p>If w is in the range, w̃ = w and the loss is −r w, as for IPS. Otherwise it is the tangent of
 * w in ln π at the end of the range; because ln t ≤ t − 1, the estimated value is never higher than
 * that of IPS.
 *
 * <ul>
 *   <li>Below 1/M the slope of IPS vanishes with π: an action with a small probability for some
 *       contexts does not recover. Here its rewards still have an effect. On the other hand, an
 *       action with lower rewards than another keeps up to 1/M of its logged probability.
 *   <li>Above M the slope of IPS grows with 1/p: one lucky draw of a rare action outweighs all
 *       other examples. Here it counts as M examples. On the other hand, the probability of an
 *       action that was rare in the log grows more slowly, over several generations.
 * </ul>
 *
 * @param trust M, in (1, 1e6]. A higher value is closer to IPS; the limit 1 is the likelihood of
 *     rewarded actions
 */
record TrustedWeightLoss(double trust) implements ExampleLoss {

    private static final double LARGEST = 1e6;

    TrustedWeightLoss {
        // Keeps gradients within a float.
        Require.that(trust > 1.0 && trust <= LARGEST, "trust must be in (1, 1e6], got %s", trust);
    }

    @Override
    public double coefficient(double propensity, double reward) {
        return reward;
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        double trusted = trusted(propensity, Exponential.exp(logProbability));
        // In logarithms, because π/p may exceed the range of a double.
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
