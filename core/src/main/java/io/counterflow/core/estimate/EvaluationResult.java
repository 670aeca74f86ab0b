package io.counterflow.core.estimate;

import java.util.Optional;

/**
 * The result of a {@link PolicyEvaluation}.
 *
 * @param n number of examples
 * @param delta probability with which each interval may fail
 * @param doublyRobust present if every example has a modelled reward
 * @param onPolicyMean the value of the logging policy, for comparison
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
