package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import java.util.Arrays;

/**
 * Always the action of the highest score; of equal ones the first.
 *
 * <p>It explores nothing: what it logs tells about no other action. {@link ExplorationFloor} helps.
 *
 * @param model the scores
 */
public record ArgmaxPolicy(LinearModel model) implements Policy {

    @Override
    public int actionCount(Features features) {
        return model.actionCount(features);
    }

    @Override
    public void probabilities(Features features, double[] probabilities) {
        model.scores(features, probabilities);
        chooseBest(probabilities, model.actionCount(features));
    }

    @Override
    public void probabilities(Features features, AllowedActions allowed, double[] probabilities) {
        allowed.requireActions(model.actionCount(features));
        model.scores(features, probabilities);
        allowed.gather(probabilities);
        chooseBest(probabilities, allowed.count());
        allowed.scatter(probabilities);
    }

    private static void chooseBest(double[] scores, int n) {
        int best = 0;
        for (int k = 0; k < n; k++) {
            if (!(Math.abs(scores[k]) <= Double.MAX_VALUE)) {
                throw new IllegalArgumentException("scores must be finite, got " + scores[k]);
            }
            best = scores[k] > scores[best] ? k : best;
        }
        Arrays.fill(scores, 0, n, 0.0);
        scores[best] = 1.0;
    }
}
