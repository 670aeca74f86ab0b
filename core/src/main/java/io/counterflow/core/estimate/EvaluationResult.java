package io.counterflow.core.estimate;

import java.util.Optional;

/**
 * All that {@link PolicyEvaluation} knows of a policy.
 *
 * @param n number of examples
 * @param delta how often each interval may miss
 * @param doublyRobust present when every example came with a modelled reward
 * @param onPolicyMean the logging policy's own value, to compare with
 * @param effectiveSampleSize (Σ w)²/Σ w²
 * @param meanWeight should be one
 * @param clipRate share of examples whose propensity was below τ
 * @param ratioClipRate share of examples whose ratio π/p was above 1/τ
 * @param maxWeight the largest w
 */
public record EvaluationResult(
        long n,
        double delta,
        Estimate ips,
        Estimate truncatedIps,
        Estimate selfNormalized,
        Estimate clippedRatioIps,
        Estimate logSmoothed,
        Optional<Estimate> doublyRobust,
        Estimate onPolicyMean,
        double effectiveSampleSize,
        double meanWeight,
        double clipRate,
        double ratioClipRate,
        double maxWeight) {}
