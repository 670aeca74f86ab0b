package io.counterflow.core.objective;

import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;

/**
 * Truncated inverse propensity scoring: −f · r π(a|x) / max(p, τ) ({@code eq:ips_lpr}, {@code
 * eq:ips_l2}).
 *
 * @param propensityFloor τ, the lower limit of the propensity. A higher value gives less variance
 *     and more bias
 * @param factor f: 1, or exp(−σ²B²/2) if the softmax of the mean is used for a mixed logit ({@code
 *     eq:mean_param_emp_risk})
 */
record TruncatedIpsLoss(double propensityFloor, double factor) implements ExampleLoss {

    TruncatedIpsLoss {
        Require.propensityFloor(propensityFloor);
    }

    @Override
    public double coefficient(double propensity, double reward) {
        return ImportanceWeight.truncated(1.0, propensity, propensityFloor) * reward;
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        return -factor * coefficient * Exponential.exp(logProbability);
    }

    @Override
    public double slope(double coefficient, double propensity, double probability) {
        return -factor * coefficient * probability;
    }
}
