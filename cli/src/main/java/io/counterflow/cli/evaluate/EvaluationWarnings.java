package io.counterflow.cli.evaluate;

import io.counterflow.cli.console.Figures;
import io.counterflow.core.estimate.EvaluationResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What is doubtful about the estimates of a policy, in words. */
final class EvaluationWarnings {

    /** A mean weight this close to 1 needs no comment. */
    private static final double WEIGHT_TOLERANCE = 0.1;

    private static final double WEIGHT_ERRORS = 5.0;

    /**
     * With fewer examples, or a smaller share of the log, the estimates depend on a few weights.
     */
    private static final double FEW_EXAMPLES = 100.0;

    private static final double SMALL_SHARE = 0.01;

    /** With fewer rewards, normal intervals are too narrow and too low. */
    private static final double FEW_REWARDS = 50.0;

    /** The part of the weights or probabilities that may be ignored. */
    private static final double NEGLIGIBLE = 1e-3;

    private EvaluationWarnings() {}

    /**
     * All warnings about a policy, the most important one first.
     *
     * @param notExact number of propensities that are estimates or bounds
     */
    static List<String> of(PolicyResult policy, EvaluationSettings settings, long notExact) {
        List<String> warnings = new ArrayList<>();
        EvaluationResult result = policy.result();
        addMeanWeight(warnings, result);
        if (policy.unsupportedShare() > NEGLIGIBLE) {
            warnings.add(
                    "%s of the policy's probability is on actions that the log never has; nothing is known about their rewards"
                            .formatted(percent(policy.unsupportedShare())));
        }
        if (notExact > 0) {
            warnings.add(
                    "%s of %s are estimates or bounds, not the exact probabilities of the draws"
                            .formatted(
                                    Figures.count(notExact, "propensity", "propensities"),
                                    Figures.count(result.n())));
        }
        double size = result.effectiveSampleSize();
        if (size < FEW_EXAMPLES || size < SMALL_SHARE * result.n()) {
            warnings.add(
                    "the effective sample size is only %s of %s: few examples decide the estimates"
                            .formatted(Figures.of(size), Figures.count(result.n())));
        }
        if (result.ratioClipRate() > 0.0) {
            warnings.add(
                    "%s of the weights are above 1/tau = %s: clipped and truncated estimates leave out their excess"
                            .formatted(
                                    percent(result.ratioClipRate()),
                                    Figures.setting(1.0 / settings.tau())));
        }
        if (policy.effectiveRewards() < FEW_REWARDS) {
            warnings.add(
                    "the estimates rest on the equivalent of %s: normal intervals are too narrow"
                            .formatted(rewards(policy.effectiveRewards())));
        }
        return List.copyOf(warnings);
    }

    /**
     * Explains an implausible mean weight. If the propensities are right it is 1, up to a few
     * standard errors: m √((n/ESS − 1)/n), for ESS = (Σw)²/Σw².
     */
    private static void addMeanWeight(List<String> warnings, EvaluationResult result) {
        double mean = result.meanWeight();
        double spread = Math.max(0.0, result.n() / result.effectiveSampleSize() - 1.0);
        double standardError = mean * Math.sqrt(spread / result.n());
        double tolerance = Math.max(WEIGHT_TOLERANCE, WEIGHT_ERRORS * standardError);
        if (mean - 1.0 > tolerance) {
            warnings.add(
                    "the mean weight is far above 1: are the logged propensities those of the policy"
                            + " that chose the actions?");
        } else if (1.0 - mean > tolerance || mean == 0.0) {
            warnings.add(
                    "the mean weight is far below 1: the policy prefers actions that are rare in"
                            + " the log, so the estimates are too low");
        }
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, share < 0.01 ? "%.2f %%" : "%.1f %%", 100.0 * share);
    }

    private static String rewards(double count) {
        return count == 0.0 ? "no reward" : "%.1f rewards".formatted(count);
    }
}
