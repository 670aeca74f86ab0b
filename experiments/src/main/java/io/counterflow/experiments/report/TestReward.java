package io.counterflow.experiments.report;

import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.experiments.data.LabelledSet;
import java.util.function.IntUnaryOperator;

/**
 * The reward of a policy on contexts with a known right action.
 *
 * @param stochastic expected reward of drawn actions: the mean probability of the right action
 * @param argmax reward of the most probable action; the first one of equal actions
 */
public record TestReward(double stochastic, double argmax) {

    /** The reward on a whole set. */
    public static TestReward of(LinearModel model, LabelledSet set) {
        return of(model, set, set.size(), i -> i);
    }

    /** The reward on part of a set: the contexts at {@code position} of 0 to {@code count} − 1. */
    public static TestReward of(
            LinearModel model, LabelledSet set, int count, IntUnaryOperator position) {
        double[] scores = new double[model.actionCount(set.context(0))];
        double probability = 0.0;
        int right = 0;
        for (int at = 0; at < count; at++) {
            int i = position.applyAsInt(at);
            model.scores(set.context(i), scores);
            right += best(scores) == set.label(i) ? 1 : 0;
            Softmax.inPlace(scores, scores.length);
            probability += scores[set.label(i)];
        }
        return new TestReward(probability / count, (double) right / count);
    }

    private static int best(double[] scores) {
        int best = 0;
        for (int k = 1; k < scores.length; k++) {
            best = scores[k] > scores[best] ? k : best;
        }
        return best;
    }
}
