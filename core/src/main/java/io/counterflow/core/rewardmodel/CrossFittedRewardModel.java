package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.LinearModel;

/**
 * Reward models that predict only examples on which they were not fitted.
 *
 * <p>Example i is in fold i mod F; its rewards come from the model fitted on the other folds. So
 * the doubly robust terms of a fold are independent of the model used in them.
 */
public final class CrossFittedRewardModel {

    private final RewardModel[] models;

    private CrossFittedRewardModel(RewardModel[] models) {
        this.models = models;
    }

    /**
     * Fits F models, each on the examples outside one fold.
     *
     * @param shape a model with the kind and size to use; its weights are ignored
     * @param folds F, at least 2. More folds give better models and take longer
     */
    public static CrossFittedRewardModel fit(
            ExampleLog log, LinearModel shape, int folds, RidgeConfig config) {
        Require.atLeast(2, folds, "folds");
        RewardModel[] models = new RewardModel[folds];
        for (int fold = 0; fold < folds; fold++) {
            models[fold] = RewardModel.fit(new TrainingFold(log, folds, fold), shape, config);
        }
        return new CrossFittedRewardModel(models);
    }

    /**
     * Predicts the reward of every action for an example of the log. Allocates nothing.
     *
     * @param example the example's position in the log that the models were fitted on
     * @param rewards one entry per action, or longer. The first entries are overwritten.
     */
    public void predict(int example, Features features, double[] rewards) {
        models[example % models.length].predict(features, rewards);
    }
}
