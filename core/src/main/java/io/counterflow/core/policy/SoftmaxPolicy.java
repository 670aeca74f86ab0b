package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.Softmax;

/**
 * The softmax policy of the paper ({@code eq:softmax_policy}): π(a|x) ∝ exp(μ · φ(x, a)).
 *
 * @param model the scores μ · φ(x, a); {@link LinearModel#scaled} gives it an inverse temperature
 */
public record SoftmaxPolicy(LinearModel model) implements Policy {

    @Override
    public int actionCount(Features features) {
        return model.actionCount(features);
    }

    @Override
    public void probabilities(Features features, double[] probabilities) {
        model.scores(features, probabilities);
        Softmax.inPlace(probabilities, model.actionCount(features));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The softmax of the allowed scores alone, which is right also where the excluded ones are
     * so high that nothing seems left for the others.
     */
    @Override
    public void probabilities(Features features, AllowedActions allowed, double[] probabilities) {
        allowed.requireActions(model.actionCount(features));
        model.scores(features, probabilities);
        allowed.gather(probabilities);
        Softmax.inPlace(probabilities, allowed.count());
        allowed.scatter(probabilities);
    }
}
