package io.counterflow.core.rewardmodel;

import io.counterflow.core.numeric.Exponential;
import java.util.Arrays;

/**
 * What is known about the parameters of a logistic model of the reward: a normal distribution with
 * a mean and a variance for each parameter. Mutable; not thread safe.
 *
 * <pre>E[r] = σ(z),   z = w·φ(x, a) + α·o + b</pre>
 *
 * <p>Every example is one step of an extended Kalman filter with a diagonal covariance. With p =
 * σ(z), h = max(p (1 − p), 0.001), s = Σ v<sub>i</sub> φ<sub>i</sub>² + v<sub>α</sub> o² and g = (r
 * − p) / (1 + h s),
 *
 * <pre>w<sub>i</sub> ← w<sub>i</sub> + v<sub>i</sub> φ<sub>i</sub> g,
 * v<sub>i</sub> ← v<sub>i</sub> − h (v<sub>i</sub> φ<sub>i</sub>)² / (1 + h s)</pre>
 *
 * <p>and the same for α, whose feature is the offset o. So a parameter moves in proportion to what
 * is unknown about it, and there is no learning rate. The log-odds b that all actions share are
 * given with each example.
 *
 * <p>Numbers are stored in float and computed in double. Sums run in the order of the entries, so
 * the same examples give the same bits.
 */
final class LogisticBelief {

    static final double OFFSET_VARIANCE = 0.25;

    /** Keeps steps finite where the model is almost certain. */
    private static final double MIN_CURVATURE = 0.001;

    private final float[] means;
    private final float[] variances; // 0 for a parameter without examples: it has the prior's
    private double offsetWeight; // α
    private double offsetVariance = OFFSET_VARIANCE;

    /** The prior of a number of parameters. */
    LogisticBelief(int parameters) {
        this.means = new float[parameters];
        this.variances = new float[parameters];
    }

    /** A stored state. */
    LogisticBelief(RewardBelief stored) {
        this.means = stored.means();
        this.variances = stored.variances();
        this.offsetWeight = stored.offsetWeight();
        this.offsetVariance = stored.offsetVariance();
    }

    RewardBelief state() {
        return new RewardBelief(means, variances, offsetWeight, offsetVariance);
    }

    /** Becomes a copy of another belief. */
    void copy(LogisticBelief other) {
        System.arraycopy(other.means, 0, means, 0, means.length);
        System.arraycopy(other.variances, 0, variances, 0, variances.length);
        offsetWeight = other.offsetWeight;
        offsetVariance = other.offsetVariance;
    }

    /** Forgets everything: becomes the prior. */
    void restart() {
        Arrays.fill(means, 0.0f);
        Arrays.fill(variances, 0.0f);
        offsetWeight = 0.0;
        offsetVariance = OFFSET_VARIANCE;
    }

    /** z − b, the log-odds of a reward of 1 without those that all actions share. */
    double logOdds(ChosenFeatures features, double offset) {
        double sum = 0.0;
        for (int i = 0; i < features.size(); i++) {
            sum += means[features.position(i)] * features.value(i);
        }
        return sum + offsetWeight * offset;
    }

    /** The variance of z. */
    double variance(ChosenFeatures features, double offset, Prior prior) {
        double sum = 0.0;
        for (int i = 0; i < features.size(); i++) {
            double x = features.value(i);
            sum += variance(features.position(i), prior) * x * x;
        }
        return sum + offsetVariance * offset * offset;
    }

    /** σ(z). */
    static double probability(double logOdds) {
        return 1.0 / (1.0 + Exponential.exp(-logOdds));
    }

    /** −r ln σ(z) − (1 − r) ln(1 − σ(z)). */
    static double logLoss(double logOdds, double reward) {
        double softplus =
                Math.max(logOdds, 0.0) + StrictMath.log1p(Exponential.exp(-Math.abs(logOdds)));
        return softplus - reward * logOdds;
    }

    /**
     * Adds an example.
     *
     * @param offset o; 0 if there is none
     * @param logOdds z of this belief: b and what {@link #logOdds} returns
     */
    void learn(ChosenFeatures features, double offset, double reward, double logOdds, Prior prior) {
        double p = probability(logOdds);
        double h = Math.max(p * (1.0 - p), MIN_CURVATURE);
        double s = variance(features, offset, prior);
        double shrinkage = h / (1.0 + h * s);
        double g = (reward - p) / (1.0 + h * s);
        for (int i = 0; i < features.size(); i++) {
            int at = features.position(i);
            double v = variance(at, prior);
            double vx = v * features.value(i);
            means[at] = (float) (means[at] + vx * g);
            // Not 0 by rounding, which would mean the variance of the prior.
            variances[at] = Math.max(Float.MIN_NORMAL, (float) (v - shrinkage * vx * vx));
        }
        double vo = offsetVariance * offset;
        offsetWeight += vo * g;
        offsetVariance = atLeastTiny(offsetVariance - shrinkage * vo * vo);
    }

    /** Rounding may give a variance of 0 or less. */
    private static double atLeastTiny(double variance) {
        return Math.max(Double.MIN_NORMAL, variance);
    }

    private double variance(int position, Prior prior) {
        float v = variances[position];
        return v > 0.0f ? v : prior.variance(position);
    }

    /** The means themselves, for scoring. Must not be modified. */
    float[] means() {
        return means;
    }

    float mean(int position) {
        return means[position];
    }

    /** α. */
    double offsetWeight() {
        return offsetWeight;
    }

    /**
     * The prior variances of the parameters.
     *
     * @param weights number of weights; positions from there on are biases of actions
     * @param ofWeights prior variance of a weight
     * @param ofBiases prior variance of the bias of an action
     */
    record Prior(int weights, double ofWeights, double ofBiases) {
        double variance(int position) {
            return position < weights ? ofWeights : ofBiases;
        }
    }
}
