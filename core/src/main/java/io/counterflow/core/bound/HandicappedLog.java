package io.counterflow.core.bound;

import io.counterflow.core.estimate.ImportanceWeight;
import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.PolicyOnLog;
import io.counterflow.core.numeric.Exponential;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;

/**
 * The rewarded examples of a log, with the probability of the logged action after a handicap: its
 * score is lowered by σ² times the example's <em>spread</em>.
 *
 * <p>With d<sub>k</sub> = ‖φ(x, k) − φ(x, a)‖, half of σ²d² covers the step from the drawn
 * parameters to their mean for every context, and the other half the mean of the logarithm over the
 * drawn parameters. A mixed logit needs the first half for its biases only, which are not drawn.
 */
final class HandicappedLog {

    /** 1 − π is at least this: rounding must not make an action certain. */
    private static final double SMALLEST_REST = 1e-15;

    private final int examples;
    private final double floor; // ε
    private int count;
    private final double[] inverse; // r/p
    private final double[] probability; // π(a|x) of the softmax
    private final double[] spread;
    private final double[] uniform; // 1/n of the allowed actions

    /**
     * @param model the parameters times the inverse temperature
     * @param rule kind and floor; its temperature is not used
     * @param biasesVary whether biases belong to the drawn parameters
     */
    HandicappedLog(ExampleLog log, LinearModel model, DecisionRule rule, boolean biasesVary) {
        this.examples = log.size();
        this.floor = rule.explorationFloor();
        this.inverse = new double[examples];
        this.probability = new double[examples];
        this.spread = new double[examples];
        this.uniform = new double[examples];
        double ofWeights = rule.kind() == PolicyKind.MIXED_LOGIT ? 0.5 : 1.0;
        // The constant features of two actions are 1 in different coordinates: squared distance 2.
        double ofBiases = biasesVary ? 2.0 : 0.0;
        PolicyOnLog softmax = new PolicyOnLog(Policy.softmax(model), log);
        for (int i = 0; i < examples; i++) {
            if (log.reward(i) > 0.0) {
                AllowedActions allowed = log.allowed(i);
                inverse[count] = log.reward(i) * ImportanceWeight.of(1.0, log.propensity(i));
                probability[count] = softmax.probability(i);
                spread[count] =
                        ofWeights * squaredDistance(log.features(i), allowed, log.action(i))
                                + ofBiases;
                uniform[count] = 1.0 / allowed.count(model.actionCount(log.features(i)));
                count++;
            }
        }
    }

    /** The largest ‖φ(x, k) − φ(x, a)‖² over the allowed actions k. */
    private static double squaredDistance(Features features, AllowedActions allowed, int action) {
        if (!(features instanceof ActionFeatures phi)) {
            return 2.0 * features.maxSquaredNorm(); // x in one block and −x in another
        }
        SparseVector chosen = phi.row(action);
        double largest = 0.0;
        for (int k = 0; k < phi.actions(); k++) {
            if (k != action && allowed.contains(k)) {
                largest = Math.max(largest, squaredDistance(chosen, phi.row(k)));
            }
        }
        return largest;
    }

    private static double squaredDistance(SparseVector one, SparseVector other) {
        double sum = 0.0;
        int i = 0;
        int j = 0;
        while (i < one.entries() || j < other.entries()) {
            int at = i < one.entries() ? one.index(i) : Integer.MAX_VALUE;
            int otherAt = j < other.entries() ? other.index(j) : Integer.MAX_VALUE;
            double difference = at <= otherAt ? one.value(i++) : 0.0;
            difference -= otherAt <= at ? other.value(j++) : 0.0;
            sum += difference * difference;
        }
        return sum;
    }

    /** n, rewarded or not. */
    int examples() {
        return examples;
    }

    /** Importance-weighted reward of rewarded example j after the handicap: ((1−ε)s + ε/n) r/p. */
    private double term(int j, double variance) {
        double rest = Math.max(SMALLEST_REST, 1.0 - probability[j]);
        double lowered =
                probability[j] / (probability[j] + rest * Exponential.exp(variance * spread[j]));
        return ((1.0 - floor) * lowered + floor * uniform[j]) * inverse[j];
    }

    /** The mean of the terms over all examples: an IPS estimate after the handicap. */
    double mean(double variance) {
        double sum = 0.0;
        for (int j = 0; j < count; j++) {
            sum += term(j, variance);
        }
        return sum / examples;
    }

    /** How many rewarded examples to skip to, so that about this many are used. */
    int stride(int about) {
        return Math.max(1, count / about);
    }

    /** Σ ln(1 + λ term) for each λ, from every {@code stride}-th rewarded example. */
    double[] logSums(double variance, double[] smoothings, int stride) {
        double[] sums = new double[smoothings.length];
        for (int j = 0; j < count; j += stride) {
            double term = term(j, variance);
            for (int l = 0; l < smoothings.length; l++) {
                sums[l] += stride * StrictMath.log1p(smoothings[l] * term);
            }
        }
        return sums;
    }
}
