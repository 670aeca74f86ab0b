package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;

/** Draws, estimates and bounds of a mixed logit among all actions of a request. */
final class MixedLogits {

    private MixedLogits() {}

    /** A Monte Carlo estimate of a probability, with its standard error. */
    record Estimate(double value, double standardError) {}

    static int actions(MixedLogit policy, Features x) {
        return policy.mean().actionCount(x);
    }

    static int draw(MixedLogit policy, Features x, EventRandom random) {
        return scores(policy, x).draw(random);
    }

    static Estimate propensity(
            MixedLogit policy, Features x, int action, int samples, EventRandom random) {
        double[] averages = new double[actions(policy, x)];
        double[] standardErrors = new double[averages.length];
        scores(policy, x).average(samples, random, averages, standardErrors);
        return new Estimate(averages[action], standardErrors[action]);
    }

    /** With the norm of the features as B, which is the tightest choice. */
    static PropensityBounds bounds(MixedLogit policy, Features x, int action) {
        return bounds(policy, x, action, Math.sqrt(x.maxSquaredNorm()));
    }

    static PropensityBounds bounds(MixedLogit policy, Features x, int action, double normBound) {
        return policy.bounds(scores(policy, x), action, normBound);
    }

    private static MixedLogitScores scores(MixedLogit policy, Features x) {
        return policy.scores(x, AllowedActions.ALL);
    }
}
