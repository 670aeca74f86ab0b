package io.counterflow.core.objective;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.numeric.Require;

/**
 * POEM ({@code eq:poem}): mean(u) + λ √(V/n) + ‖·‖² term, with u = −r min(π/p, 1/τ) and V the
 * sample variance of u, by stochastic majorisation-minimisation.
 *
 * <p>If the softmax decides only a share of the events, u is multiplied by that share.
 *
 * <p>V is not a sum over examples, so it is majorised at the initial parameters of each epoch (with
 * mean ū and variance V): √V' ≤ (V' + V)/(2√V), and −ū'² ≤ ū² − 2ū·ū'. With V' = n/(n−1) ·
 * (mean(u²) − ū'²) this is, up to a constant, the mean of A u + B u² with
 *
 * <pre>B = λ/√n · n/(n−1) / (2√V),   A = 1 − 2 B ū.</pre>
 *
 * At the initial parameters of the epoch its gradient equals that of the objective.
 *
 * @param propensityFloor τ: the ratio π/p is capped at 1/τ
 * @param varianceStrength λ
 * @param strength of the L2 term; 0 in plain POEM
 * @param softmaxShare share of the events that the softmax decides; 1 without a floor
 */
record PoemObjective(
        String name,
        double propensityFloor,
        double varianceStrength,
        double strength,
        double softmaxShare)
        implements Objective {

    /** A smaller deviation relative to the mean is a rounding error of equal numbers. */
    private static final double ROUNDING = 1e-10;

    PoemObjective {
        Require.propensityFloor(propensityFloor);
        Require.finiteAtLeastZero(varianceStrength, "varianceStrength");
        Require.finiteAtLeastZero(strength, "lambda");
        Require.share(softmaxShare, "softmaxShare");
    }

    @Override
    public Objective withSoftmaxShare(double share) {
        return new PoemObjective(name, propensityFloor, varianceStrength, strength, share);
    }

    @Override
    public Centre centre() {
        return Centre.ZERO;
    }

    @Override
    public ExampleLoss lossForEpoch(SamplePass pass) {
        int n = pass.log().size();
        Moments moments = moments(pass.log(), pass.logProbabilities());
        if (Math.sqrt(moments.variance) <= ROUNDING * Math.abs(moments.mean)) {
            // The square root has no gradient at zero and an unbounded one near zero, which AdaGrad
            // would keep for ever.
            return loss(1.0, 0.0);
        }
        double quadratic =
                varianceStrength
                        / Math.sqrt(n)
                        * n
                        / (n - 1.0)
                        / (2.0 * Math.sqrt(moments.variance));
        return loss(1.0 - 2.0 * quadratic * moments.mean, quadratic);
    }

    private ExampleLoss loss(double linear, double quadratic) {
        return new PoemLoss(1.0 / propensityFloor, linear, quadratic).times(softmaxShare);
    }

    @Override
    public double dataTerm(ExampleLog log, double[] logProbabilities) {
        Moments moments = moments(log, logProbabilities);
        return moments.mean + varianceStrength * Math.sqrt(moments.variance / log.size());
    }

    /** Mean and sample variance of u; a single example has variance 0. */
    private Moments moments(ExampleLog log, double[] logProbabilities) {
        PoemLoss capped = new PoemLoss(1.0 / propensityFloor, 1.0, 0.0);
        int n = log.size();
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += u(capped, log, logProbabilities, i);
        }
        double mean = sum / n;
        double squares = 0.0;
        for (int i = 0; i < n; i++) {
            double deviation = u(capped, log, logProbabilities, i) - mean;
            squares += deviation * deviation;
        }
        return new Moments(mean, n > 1 ? squares / (n - 1) : 0.0);
    }

    private double u(PoemLoss capped, ExampleLog log, double[] logProbabilities, int i) {
        double reward = softmaxShare * log.reward(i);
        return reward == 0.0
                ? 0.0
                : -reward * capped.weight(log.propensity(i), Exponential.exp(logProbabilities[i]));
    }

    private record Moments(double mean, double variance) {}
}
