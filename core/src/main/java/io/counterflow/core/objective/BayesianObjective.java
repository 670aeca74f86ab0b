package io.counterflow.core.objective;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Exponential;

/**
 * The full Bayesian objective in mean and variance ({@code eq:mixed_logit_bcrm_objective}):
 *
 * <pre>1 − exp(−σ²B²/2) · v(μ) + ‖μ − μ0‖²/(σ0² τ (n−1)) − D ln σ² / (τ (n−1)),</pre>
 *
 * where v(μ) = (1/n) Σ r π<sub>μ</sub>(a|x)/max(p, τ). For a given mean the best variance is found
 * exactly, at the start of each epoch; the epoch then optimises the mean.
 */
final class BayesianObjective implements Objective {

    private static final int BISECTIONS = 200;

    private final BayesianSetting setting;

    BayesianObjective(BayesianSetting setting) {
        this.setting = setting;
    }

    @Override
    public String name() {
        return "bcrm";
    }

    @Override
    public double strength() {
        return setting.strength();
    }

    @Override
    public Centre centre() {
        return Centre.PRIOR;
    }

    @Override
    public boolean regularisesBiases() {
        return true;
    }

    @Override
    public ExampleLoss lossForEpoch(SamplePass pass) {
        return setting.lossAt(setting.bestVariance(pass));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Returns this objective: the floor multiplies the bound by 1 − ε, which does not change the
     * best mean and variance.
     */
    @Override
    public Objective withSoftmaxShare(double share) {
        return this;
    }

    /** The objective at the best variance for these probabilities, without the term in μ. */
    @Override
    public double dataTerm(ExampleLog log, double[] logProbabilities) {
        double meanValue = meanValue(log, logProbabilities);
        return dataTerm(meanValue, bestVariance(meanValue));
    }

    /** The objective without the term in μ, at a given variance. */
    double dataTerm(double meanValue, double variance) {
        return 1.0
                - setting.shrinkage(variance) * meanValue
                - setting.varianceWeight() * StrictMath.log(variance);
    }

    /** Its derivative with respect to the variance: v B²/2 · exp(−σ²B²/2) − D/(τ(n−1)σ²). */
    double varianceDerivative(double meanValue, double variance) {
        double b2 = setting.normBound() * setting.normBound();
        return 0.5 * b2 * meanValue * setting.shrinkage(variance)
                - setting.varianceWeight() / variance;
    }

    /** v(μ) = (1/n) Σ r π(a|x)/max(p, τ): the truncated IPS estimate of the mean's softmax. */
    double meanValue(ExampleLog log, double[] logProbabilities) {
        double sum = 0.0;
        for (int i = 0; i < log.size(); i++) {
            sum +=
                    log.reward(i)
                            * Exponential.exp(logProbabilities[i])
                            / Math.max(log.propensity(i), setting.propensityFloor());
        }
        return sum / log.size();
    }

    /**
     * The σ² in (0, σ<sub>0</sub>²] with the smallest objective, for a given v(μ).
     *
     * <p>As σ² grows, the derivative is negative, then perhaps positive between two roots around
     * 2/B², then negative again. So the minimum is the first root or the end of the interval.
     */
    double bestVariance(double meanValue) {
        double end = setting.priorVariance();
        double b2 = setting.normBound() * setting.normBound();
        double high = Math.min(end, 2.0 / b2);
        if (!(varianceDerivative(meanValue, high) > 0.0)) {
            return end;
        }
        double low = 0.0;
        for (int i = 0; i < BISECTIONS && low < high; i++) {
            double middle = low + (high - low) / 2.0;
            if (middle == low || middle == high) {
                break;
            }
            if (varianceDerivative(meanValue, middle) > 0.0) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return dataTerm(meanValue, high) <= dataTerm(meanValue, end) ? high : end;
    }
}
