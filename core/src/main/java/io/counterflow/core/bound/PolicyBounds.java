package io.counterflow.core.bound;

import io.counterflow.core.estimate.TruncatedIps;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * All bounds on one policy from the log that it was learned from.
 *
 * <p>The theorems of the paper are about the mixed logit N(βμ, σ²I) over the allowed actions, with
 * the inverse temperature β and without an exploration floor; {@link #served} is about the policy
 * as it is served. Theorems 1 to 3 use B for logged contexts only, so the largest norm in the log
 * is enough. Everything about a learned prior needs a B that holds for every context that might
 * have been logged: an enforced one ({@link io.counterflow.core.features.NormBound}).
 *
 * @param examples n
 * @param propensityFloor τ
 * @param gap distance, dimension, norm bound and variances
 * @param truncatedIps the truncated IPS value of the mean's softmax
 * @param divergence KL(Q‖P), exact; with a learned prior an upper bound on it
 * @param theorem1 for a τ fixed before the data
 * @param theorem2 for any τ
 * @param theorem3 in closed form, for a prior fixed before the data; based on theorem 2 if τ comes
 *     from the data
 * @param theorem4 the same for a prior learned from the same log; empty if it was not
 * @param served by logarithmic smoothing, about the served policy; empty if the prior was learned
 *     and no norm bound is enforced
 */
public record PolicyBounds(
        long examples,
        double propensityFloor,
        PosteriorGap gap,
        double truncatedIps,
        double divergence,
        RiskBound theorem1,
        RiskBound theorem2,
        RiskBound theorem3,
        Optional<RiskBound> theorem4,
        Optional<ServedBound> served) {

    /**
     * Computes all bounds.
     *
     * @param served μ and β
     * @param priorModel μ₀, of the same shape; it is served at the same β
     */
    public static PolicyBounds of(
            ExampleLog log, Policy served, LinearModel priorModel, BoundSettings settings) {
        double beta = served.rule().inverseTemperature();
        LinearModel policy = beta == 1.0 ? served.model() : served.model().scaled(beta);
        LinearModel prior = beta == 1.0 ? priorModel : priorModel.scaled(beta);
        log.requireFit(policy);
        long n = log.size();
        double tau = settings.propensityFloor();
        double delta = settings.delta();
        boolean learned = settings.priorStrength().isPresent();
        PosteriorGap gap = gap(log, policy, prior, settings, learned);
        double truncatedIps = truncatedIps(log, policy, tau);
        Optional<LearnedPrior> learnedPrior =
                settings.priorStrength().stream()
                        .mapToObj(lambda -> learnedPrior(log, prior, gap, settings, lambda))
                        .findFirst();
        double divergence =
                learnedPrior
                        .map(fit -> fit.gamma(gap, n, delta) / 2.0)
                        .orElseGet(() -> GaussianKl.exact(gap));
        // Half of δ is used for the radius of the learned prior.
        double confidence = learned ? delta / 2.0 : delta;
        double risk = MixedLogitBound.empiricalRisk(truncatedIps, gap);
        return new PolicyBounds(
                n,
                tau,
                gap,
                truncatedIps,
                divergence,
                TruncatedIpsBound.fixedFloor(risk, divergence, tau, n, confidence),
                TruncatedIpsBound.anyFloor(risk, divergence, tau, n, confidence),
                settings.floorFromData()
                        ? MixedLogitBound.fixedPriorAnyFloor(truncatedIps, gap, tau, n, delta)
                        : MixedLogitBound.fixedPrior(truncatedIps, gap, tau, n, delta),
                learnedPrior.map(
                        fit ->
                                settings.floorFromData()
                                        ? MixedLogitBound.learnedPriorAnyFloor(
                                                truncatedIps, gap, fit, tau, n, delta)
                                        : MixedLogitBound.learnedPrior(
                                                truncatedIps, gap, fit, tau, n, delta)),
                served(log, served, priorModel, learnedPrior, settings, confidence));
    }

    private static Optional<ServedBound> served(
            ExampleLog log,
            Policy served,
            LinearModel prior,
            Optional<LearnedPrior> learned,
            BoundSettings settings,
            double confidence) {
        if (learned.isPresent() && settings.normBound().isEmpty()) {
            return Optional.empty();
        }
        OptionalDouble radius =
                learned.stream()
                        .mapToDouble(fit -> fit.radius(log.size(), settings.delta()))
                        .findFirst();
        return Optional.of(ServedBound.of(log, served, prior, radius, confidence));
    }

    /** The bound of the paper that applies: theorem 4 for a learned prior, otherwise theorem 3. */
    public RiskBound paperBound() {
        return theorem4.orElse(theorem3);
    }

    private static PosteriorGap gap(
            ExampleLog log,
            LinearModel policy,
            LinearModel prior,
            BoundSettings settings,
            boolean learned) {
        double priorVariance = settings.priorVariance();
        PosteriorGap widest =
                gap(log.maxNorm(), policy, prior, priorVariance, priorVariance, learned);
        if (settings.variance().isPresent()) {
            return withVariance(widest, settings.variance().getAsDouble());
        }
        if (log.size() < 2) {
            return widest; // every bound is vacuous, whatever the variance
        }
        BayesianSetting setting =
                new BayesianSetting(
                        log.size(),
                        settings.propensityFloor(),
                        priorVariance,
                        widest.normBound(),
                        widest.dimension());
        return withVariance(widest, setting.optimalVariance(log));
    }

    /** Learned biases depend on the data: they count as weights even if policy and prior agree. */
    private static PosteriorGap gap(
            double norm,
            LinearModel policy,
            LinearModel prior,
            double priorVariance,
            double variance,
            boolean learned) {
        if (!learned || policy.biasCount() == 0) {
            return PosteriorGap.between(policy, prior, norm, priorVariance, variance);
        }
        return new PosteriorGap(
                policy.squaredDistance(prior) + policy.squaredBiasDistance(prior),
                policy.weightCount() + policy.biasCount(),
                StrictMath.hypot(norm, 1.0),
                priorVariance,
                variance);
    }

    private static PosteriorGap withVariance(PosteriorGap gap, double variance) {
        return new PosteriorGap(
                gap.squaredDistance(),
                gap.dimension(),
                gap.normBound(),
                gap.priorVariance(),
                variance);
    }

    /** β with the enforced norm; with the measured one if there is none, which proves nothing. */
    private static LearnedPrior learnedPrior(
            ExampleLog log,
            LinearModel prior,
            PosteriorGap gap,
            BoundSettings settings,
            double lambda) {
        double norm =
                settings.normBound().isEmpty()
                        ? gap.normBound()
                        : StrictMath.hypot(
                                settings.normBound().getAsDouble(), prior.biasCount() > 0 ? 1 : 0);
        double lipschitz =
                prior instanceof DenseModel
                        ? SoftmaxLipschitz.blockFeatures(norm)
                        : SoftmaxLipschitz.sharedFeatures(norm);
        return new LearnedPrior(lambda, lipschitz, LikelihoodGradient.norm(prior, log, lambda));
    }

    private static double truncatedIps(ExampleLog log, LinearModel policy, double tau) {
        PolicyOnLog softmax = new PolicyOnLog(Policy.softmax(policy), log);
        TruncatedIps truncated = new TruncatedIps(tau);
        for (int i = 0; i < log.size(); i++) {
            truncated.add(softmax.probability(i), log.propensity(i), log.reward(i));
        }
        return truncated.value();
    }
}
