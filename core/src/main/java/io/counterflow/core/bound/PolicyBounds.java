package io.counterflow.core.bound;

import io.counterflow.core.estimate.TruncatedIps;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * All bounds on the risk of one policy from one log. The policy is the mixed logit N(βμ, σ²I) over
 * the allowed actions, with the inverse temperature β with which it is served and without an
 * exploration floor. Its mean may have been learned from the same log. With a floor ε, a policy
 * earns at least 1 − ε times its value without the floor, because no reward is negative: {@link
 * #servedRisk} and {@link #servedValue}.
 *
 * <p>B is the largest norm in the log. This is enough for theorems 1 to 3, which use B for logged
 * contexts only. Theorem 4 needs it for every context that might have been logged: it holds only if
 * a bound is enforced ({@link io.counterflow.core.features.NormBound}).
 *
 * @param examples n
 * @param propensityFloor τ
 * @param softmaxShare 1 − ε, the share of the events that the policy decides by its scores
 * @param gap distance, dimension, norm bound and variances
 * @param truncatedIps the truncated IPS value of the mean's softmax
 * @param divergence KL(Q‖P), exact; with a learned prior an upper bound on it
 * @param theorem1 for a τ fixed before the data
 * @param theorem2 for any τ
 * @param theorem3 in closed form, for a prior fixed before the data; based on theorem 2 if τ comes
 *     from the data
 * @param theorem4 the same for a prior learned from the same log; empty if it was not
 * @param logSmoothed by logarithmic smoothing, for all posteriors
 * @param logSmoothedVariance the posterior variance of that bound: the given one or, by default,
 *     the one with the largest bound, which is valid because the bound holds for all posteriors at
 *     once
 * @param logSmoothedFixedPolicy the same for the softmax of μ, if μ was fixed before the data
 */
public record PolicyBounds(
        long examples,
        double propensityFloor,
        double softmaxShare,
        PosteriorGap gap,
        double truncatedIps,
        double divergence,
        RiskBound theorem1,
        RiskBound theorem2,
        RiskBound theorem3,
        Optional<RiskBound> theorem4,
        ValueBound logSmoothed,
        double logSmoothedVariance,
        ValueBound logSmoothedFixedPolicy) {

    /** 1, 1/2, … 1/1024: fixed before any data. */
    private static final int SMOOTHINGS = 11;

    /**
     * Variances that the log-smoothed bound tries: the prior's, its half, its quarter and so on.
     */
    private static final int VARIANCES = 48;

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
        LogSmoothedBound smoothed = new LogSmoothedBound(smoothings());
        double truncatedIps = truncatedIps(log, policy, tau, smoothed);
        Optional<LearnedPrior> learnedPrior =
                settings.priorStrength().stream()
                        .mapToObj(lambda -> learnedPrior(log, prior, gap, lambda))
                        .findFirst();
        ToDoubleFunction<PosteriorGap> divergenceOf =
                any ->
                        learnedPrior
                                .map(fit -> fit.gamma(any, n, delta) / 2.0)
                                .orElseGet(() -> GaussianKl.exact(any));
        double divergence = divergenceOf.applyAsDouble(gap);
        // Half of δ is used for the radius of the learned prior.
        double confidence = learned ? delta / 2.0 : delta;
        double risk = MixedLogitBound.empiricalRisk(truncatedIps, gap);
        PosteriorGap sharpest =
                settings.variance().isPresent()
                        ? gap
                        : sharpest(smoothed, gap, divergenceOf, confidence);
        return new PolicyBounds(
                n,
                tau,
                served.rule().softmaxShare(),
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
                logSmoothed(smoothed, sharpest, divergenceOf, confidence),
                sharpest.variance(),
                smoothed.fixedPolicy(delta));
    }

    private static PosteriorGap sharpest(
            LogSmoothedBound smoothed,
            PosteriorGap gap,
            ToDoubleFunction<PosteriorGap> divergenceOf,
            double confidence) {
        PosteriorGap best = gap;
        double bestTotal = logSmoothed(smoothed, gap, divergenceOf, confidence).total();
        double variance = gap.priorVariance();
        for (int i = 0; i < VARIANCES && variance > 0.0; i++, variance /= 2.0) {
            PosteriorGap other = withVariance(gap, variance);
            double total = logSmoothed(smoothed, other, divergenceOf, confidence).total();
            if (total > bestTotal) {
                best = other;
                bestTotal = total;
            }
        }
        return best;
    }

    private static ValueBound logSmoothed(
            LogSmoothedBound smoothed,
            PosteriorGap gap,
            ToDoubleFunction<PosteriorGap> divergenceOf,
            double confidence) {
        return smoothed.allPosteriors(
                gap.meanSoftmaxFactor(), divergenceOf.applyAsDouble(gap), confidence);
    }

    /** The bound of the paper that applies: theorem 4 for a learned prior, otherwise theorem 3. */
    public RiskBound paperBound() {
        return theorem4.orElse(theorem3);
    }

    /** Upper bound on the risk with the exploration floor: 1 − (1 − ε)(1 − paperBound). */
    public double servedRisk() {
        return 1.0 - softmaxShare * paperBound().valueLowerBound();
    }

    /** Lower bound on the value with the exploration floor: 1 − ε times the log-smoothed bound. */
    public double servedValue() {
        return softmaxShare * logSmoothed.total();
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

    private static LearnedPrior learnedPrior(
            ExampleLog log, LinearModel prior, PosteriorGap gap, double lambda) {
        double lipschitz =
                prior instanceof DenseModel
                        ? SoftmaxLipschitz.blockFeatures(gap.normBound())
                        : SoftmaxLipschitz.sharedFeatures(gap.normBound());
        return new LearnedPrior(lambda, lipschitz, LikelihoodGradient.norm(prior, log, lambda));
    }

    private static double truncatedIps(
            ExampleLog log, LinearModel policy, double tau, LogSmoothedBound smoothed) {
        PolicyOnLog softmax = new PolicyOnLog(Policy.softmax(policy), log);
        TruncatedIps truncated = new TruncatedIps(tau);
        for (int i = 0; i < log.size(); i++) {
            double probability = softmax.probability(i);
            double propensity = log.propensity(i);
            truncated.add(probability, propensity, log.reward(i));
            smoothed.add(probability, propensity, log.reward(i));
        }
        return truncated.value();
    }

    private static double[] smoothings() {
        double[] grid = new double[SMOOTHINGS];
        for (int j = 0; j < SMOOTHINGS; j++) {
            grid[j] = 1.0 / (1 << j);
        }
        return grid;
    }
}
