package io.counterflow.core.objective;

import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;

/**
 * Logarithmic smoothing: −c π(a|x) with c = ln(1 + s r / p) / s. Beyond the paper: truncated IPS
 * with r / max(p, τ) replaced by c, which grows only with the logarithm of 1/p and needs no τ.
 *
 * @param smoothing s &gt; 0. A higher value gives less variance and more bias; the limit 0 is IPS
 */
record LogSmoothedLoss(double smoothing) implements ExampleLoss {

    LogSmoothedLoss {
        Require.smoothing(smoothing);
    }

    @Override
    public double coefficient(double propensity, double reward) {
        double weight = ImportanceWeight.of(1.0, propensity);
        return StrictMath.log1p(smoothing * weight * reward) / smoothing;
    }

    @Override
    public double loss(double coefficient, double propensity, double logProbability) {
        return -coefficient * Exponential.exp(logProbability);
    }

    @Override
    public double slope(double coefficient, double propensity, double probability) {
        return -coefficient * probability;
    }
}
