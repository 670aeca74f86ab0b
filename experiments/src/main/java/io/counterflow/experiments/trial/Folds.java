package io.counterflow.experiments.trial;

import io.counterflow.core.estimate.TruncatedIps;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import java.util.Arrays;

/**
 * Random folds of a log, of equal size. A policy that was trained on the other folds is evaluated
 * on the remaining one by truncated IPS.
 */
public final class Folds {

    private final ExampleLog log;
    private final int[] order;
    private final int count;

    public Folds(LoggedTrial trial, int count, long seed) {
        this.log = trial.log();
        this.order = Seeds.permutation(log.size(), Seeds.random(seed, trial.number(), "folds"));
        this.count = count;
    }

    /** All examples except those of one fold, in the order of the log. */
    public ExampleLog training(int fold) {
        return log.select(positions(fold, false));
    }

    /** Mean of r π(a|x) / max(p, τ) over the examples of one fold. */
    public double estimate(LinearModel model, int fold) {
        PolicyOnLog policy = new PolicyOnLog(Policy.softmax(model), log);
        TruncatedIps estimator = new TruncatedIps(Method.PROPENSITY_FLOOR);
        for (int i : positions(fold, true)) {
            // Examples without a reward add nothing.
            double probability = log.reward(i) > 0.0 ? policy.probability(i) : 0.0;
            estimator.add(probability, log.propensity(i), log.reward(i));
        }
        return estimator.value();
    }

    private int[] positions(int fold, boolean inside) {
        int[] positions = new int[order.length];
        int n = 0;
        for (int at = 0; at < order.length; at++) {
            if ((at % count == fold) == inside) {
                positions[n++] = order[at];
            }
        }
        positions = Arrays.copyOf(positions, n);
        Arrays.sort(positions);
        return positions;
    }
}
