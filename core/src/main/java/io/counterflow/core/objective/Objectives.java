package io.counterflow.core.objective;

import io.counterflow.core.numeric.Require;

/**
 * Creates the objectives of the paper and two more. λ is always the strength of the regulariser.
 */
public final class Objectives {

    /**
     * The default M of {@link #trustLpr}. All loops use it, because another value would give other
     * parameters for the same log and spec.
     */
    public static final double TRUST = 10.0;

    private Objectives() {}

    /**
     * IPS-LPR ({@code eq:ips_lpr}): −(1/n) Σ r π(a|x) / max(p, τ) + λ‖μ − μ<sub>0</sub>‖².
     *
     * @param propensityFloor τ in (0, 1]
     */
    public static Objective ipsLpr(double propensityFloor, double lambda) {
        return new FixedLossObjective(
                "ips-lpr",
                new TruncatedIpsLoss(propensityFloor, 1.0),
                lambda,
                Objective.Centre.PRIOR);
    }

    /** IPS-L2 ({@code eq:ips_l2}): the same with the origin in place of the prior. */
    public static Objective ipsL2(double propensityFloor, double lambda) {
        return new FixedLossObjective(
                "ips-l2",
                new TruncatedIpsLoss(propensityFloor, 1.0),
                lambda,
                Objective.Centre.ZERO);
    }

    /**
     * WNLL-LPR ({@code eq:wnll_lpr}): −(1/n) Σ r ln π(a|x) / max(p, τ) + λ‖μ − μ<sub>0</sub>‖².
     * Convex.
     */
    public static Objective wnllLpr(double propensityFloor, double lambda) {
        return new FixedLossObjective(
                "wnll-lpr", new WeightedLogLoss(propensityFloor), lambda, Objective.Centre.PRIOR);
    }

    /**
     * LS-LPR, beyond the paper: −(1/n) Σ π(a|x) ln(1 + s r/p)/s + λ‖μ − μ<sub>0</sub>‖².
     *
     * <p>{@link #lsLprStrength} is the λ that the theory gives.
     *
     * @param smoothing s; 1/√n is a good default
     */
    public static Objective lsLpr(double smoothing, double lambda) {
        return new FixedLossObjective(
                "ls-lpr", new LogSmoothedLoss(smoothing), lambda, Objective.Centre.PRIOR);
    }

    /**
     * Trust-LPR, beyond the paper: −(1/n) Σ r w̃ (1 + ln(w/w̃)) + λ‖μ − μ<sub>0</sub>‖², with w =
     * π(a|x)/p and w̃ the nearest value in [1/M, M].
     *
     * @param trust M in (1, 1e6]: weights between 1/M and M are those of IPS; {@link #TRUST} is a
     *     good default
     */
    public static Objective trustLpr(double trust, double lambda) {
        return new FixedLossObjective(
                "trust-lpr", new TrustedWeightLoss(trust), lambda, Objective.Centre.PRIOR);
    }

    /**
     * The λ with which LS-LPR maximises the lower bound on the value by logarithmic smoothing, for
     * a given posterior variance: 1/(2 σ<sub>0</sub>² s n).
     *
     * @param priorVariance σ<sub>0</sub>²
     * @param smoothing s
     * @param examples n
     */
    public static double lsLprStrength(double priorVariance, double smoothing, long examples) {
        Require.finiteAboveZero(priorVariance, "priorVariance");
        Require.smoothing(smoothing);
        return 1.0 / (2.0 * priorVariance * smoothing * Require.atLeast(1, examples, "examples"));
    }

    /**
     * POEM ({@code eq:poem}): −(1/n) Σ r min(π/p, 1/τ) + λ √(Var/n).
     *
     * @param varianceStrength the λ of the variance term
     */
    public static Objective poem(double propensityFloor, double varianceStrength) {
        return new PoemObjective("poem", propensityFloor, varianceStrength, 0.0, 1.0);
    }

    /** POEM-L2: POEM plus λ‖μ‖². */
    public static Objective poemL2(double propensityFloor, double varianceStrength, double lambda) {
        return new PoemObjective("poem-l2", propensityFloor, varianceStrength, lambda, 1.0);
    }

    /**
     * The logging policy's regularised likelihood ({@code eq:learn_log_policy_objective}): −(1/n) Σ
     * ln π(a|x) + λ‖μ‖².
     */
    public static Objective loggingPolicy(double lambda) {
        return new FixedLossObjective(
                "logging-policy", new LogLikelihoodLoss(), lambda, Objective.Centre.ZERO);
    }
}
