package io.counterflow.cli.evaluate;

import io.counterflow.core.confidence.BettingInterval;
import io.counterflow.core.confidence.LowerConfidenceSequence;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.estimate.Interval;
import io.counterflow.core.estimate.LogSmoothedIps;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.estimate.StratifiedEstimate;
import io.counterflow.core.log.ExampleLog;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The evaluation of one policy on one part of a log. The estimates take an example with its
 * modelled rewards. The intervals come after them, because they need the largest weight.
 */
final class PartEvaluation {

    private final EvaluationSettings settings;
    private final int n;
    private final PolicyEvaluation estimates;

    PartEvaluation(EvaluationSettings settings, int n) {
        this.settings = settings;
        this.n = n;
        this.estimates = new PolicyEvaluation(settings.tau(), LogSmoothedIps.defaultSmoothing(n));
    }

    PolicyEvaluation estimates() {
        return estimates;
    }

    /** The intervals and certificates, which take the weights of the same examples. */
    Intervals intervals(OptionalDouble largestWeight) {
        return new Intervals(largestWeight);
    }

    /** Terms of the weighted rewards of one policy. */
    final class Intervals {

        private final OptionalDouble largestWeight;
        private final boolean clips; // whether weights may exceed 1/τ
        private final BettingInterval clipped;
        private final BettingInterval truncated;
        private final BettingInterval onPolicy = new BettingInterval(n, 1.0, settings.delta());
        private final LowerConfidenceSequence judged = new LowerConfidenceSequence();
        private final StratifiedEstimate stratified = new StratifiedEstimate();
        private double sum;
        private double squareSum;

        private Intervals(OptionalDouble largestWeight) {
            double cap = 1.0 / settings.tau();
            double largest = Math.min(cap, largestWeight.orElse(cap));
            this.largestWeight = largestWeight;
            this.clips = largestWeight.isEmpty() || largestWeight.getAsDouble() > cap;
            // A policy that never draws a logged action has only terms of 0.
            this.clipped = betting(largest);
            this.truncated = betting(largest);
        }

        private BettingInterval betting(double largest) {
            return new BettingInterval(
                    n, largest == 0.0 ? 1.0 : largest * (1.0 + 2e-6), settings.delta());
        }

        void add(ExampleLog log, int i, double target) {
            double propensity = log.propensity(i);
            double reward = log.reward(i);
            double tau = settings.tau();
            double weight = ImportanceWeight.of(target, propensity);
            clipped.add(ImportanceWeight.clipped(target, propensity, tau) * reward);
            truncated.add(ImportanceWeight.truncated(target, propensity, tau) * reward);
            onPolicy.add(reward);
            judged.add(weight * reward);
            stratified.add(log.policyVersion(i), weight, reward);
            sum += weight * reward;
            squareSum += weight * reward * (weight * reward);
        }

        PolicyResult result(String policy, double unsupportedShare) {
            EvaluationResult result = estimates.result(settings.delta());
            Map<String, Interval> betting = new LinkedHashMap<>();
            Interval ofClipped = clipped.interval();
            if (!clips) {
                betting.put(EvaluationFields.IPS, ofClipped);
            }
            betting.put(EvaluationFields.TRUNCATED_IPS, truncated.interval());
            betting.put(EvaluationFields.CLIPPED_RATIO_IPS, ofClipped);
            betting.put(EvaluationFields.ON_POLICY_MEAN, onPolicy.interval());
            return new PolicyResult(
                    policy,
                    result,
                    betting,
                    judged.bound(settings.delta()),
                    stratified,
                    largestWeight,
                    unsupportedShare,
                    squareSum == 0.0 ? 0.0 : sum / squareSum * sum);
        }
    }
}
