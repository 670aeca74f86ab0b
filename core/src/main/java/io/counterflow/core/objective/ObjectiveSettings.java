package io.counterflow.core.objective;

import io.counterflow.core.policy.DecisionRule;
import java.util.Optional;

/**
 * The settings of an objective. Each objective uses and checks some of them.
 *
 * @param lambda λ, strength of the regulariser
 * @param tau τ, smallest propensity used as a divisor; for POEM, 1/τ caps the ratio
 * @param smoothing s of logarithmic smoothing
 * @param varianceLambda weight of the variance in POEM
 * @param trust M of {@link Objectives#trustLpr}
 * @param softmaxShare share of the events that the softmax decides; 1 without a floor
 * @param bayesian the constants of Bayesian objectives; empty if there are none
 */
public record ObjectiveSettings(
        double lambda,
        double tau,
        double smoothing,
        double varianceLambda,
        double trust,
        double softmaxShare,
        Optional<BayesianSetting> bayesian) {

    public static ObjectiveSettings of(double lambda, double tau, double smoothing) {
        return new ObjectiveSettings(
                lambda, tau, smoothing, 1.0, Objectives.TRUST, 1.0, Optional.empty());
    }

    /** The same with another weight of the variance. */
    public ObjectiveSettings withVarianceLambda(double other) {
        return new ObjectiveSettings(lambda, tau, smoothing, other, trust, softmaxShare, bayesian);
    }

    /** The same with another limit of trusted weights. */
    public ObjectiveSettings withTrust(double other) {
        return new ObjectiveSettings(
                lambda, tau, smoothing, varianceLambda, other, softmaxShare, bayesian);
    }

    /** The same for a policy with this decision rule. */
    public ObjectiveSettings servedBy(DecisionRule rule) {
        return new ObjectiveSettings(
                lambda, tau, smoothing, varianceLambda, trust, rule.softmaxShare(), bayesian);
    }

    /** The same with the constants of a Bayesian objective. */
    public ObjectiveSettings with(BayesianSetting setting) {
        return new ObjectiveSettings(
                lambda, tau, smoothing, varianceLambda, trust, softmaxShare, Optional.of(setting));
    }
}
