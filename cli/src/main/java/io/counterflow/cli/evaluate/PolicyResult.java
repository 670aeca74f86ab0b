package io.counterflow.cli.evaluate;

import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.Interval;
import io.counterflow.core.estimate.StratifiedEstimate;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The evaluation of one policy on one part of a log.
 *
 * @param policy its name
 * @param betting guaranteed intervals, by estimator
 * @param judgedOn lower bound on the value, with probability 1 − δ at every n at once, if the
 *     policy was not learned from this log
 * @param stratified IPS per logging policy, combined
 * @param largestWeight largest weight that is possible in the contexts of the log; empty if it is
 *     not known
 * @param unsupportedShare mean probability of actions that the log does not draw
 * @param effectiveRewards (Σ w r)²/Σ (w r)²: the number of equal weighted rewards with the same
 *     information
 */
record PolicyResult(
        String policy,
        EvaluationResult result,
        Map<String, Interval> betting,
        double judgedOn,
        StratifiedEstimate stratified,
        OptionalDouble largestWeight,
        double unsupportedShare,
        double effectiveRewards) {}
