package io.counterflow.experiments.report;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.experiments.data.LabelledSet;
import java.util.function.IntUnaryOperator;

/**
 * The reward of a policy on contexts with a known right action.
 *
 * @param stochastic expected reward of drawn actions: the mean probability of the right action
 * @param argmax reward of the most probable action; the first one of equal actions
 */
public record TestReward(double stochastic, double argmax) {

    /** Draws for each probability of a mixed logit. */
    private static final int DRAWS = 100;

    /** The reward on a whole set; with a variance, that of the mixed logit. */
    public static TestReward of(VersionParameters version, LabelledSet set) {
        return of(version, set, set.size(), i -> i);
    }

    /** The same on part of a set. */
    public static TestReward of(
            VersionParameters version, LabelledSet set, int count, IntUnaryOperator position) {
        TestReward softmax = of(version.model(), set, count, position);
        if (version.variance().isEmpty()) {
            return softmax;
        }
        Policy mixedLogit =
                new Policy(
                        version.model(),
                        new DecisionRule(
                                PolicyKind.MIXED_LOGIT,
                                1.0,
                                0.0,
                                version.variance(),
                                PropensityKind.ESTIMATED,
                                DRAWS));
        EventRandom random = new EventRandom(1);
        double right = 0.0;
        for (int at = 0; at < count; at++) {
            int i = position.applyAsInt(at);
            Decision decision = mixedLogit.decide(set.context(i), AllowedActions.ALL, random);
            // The estimate is missing if the drawn action is in none of its draws.
            right +=
                    decision.kind() == PropensityKind.ESTIMATED
                            ? decision.distribution()[set.label(i)]
                            : decision.action() == set.label(i) ? 1.0 : 0.0;
        }
        return new TestReward(right / count, softmax.argmax);
    }

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
