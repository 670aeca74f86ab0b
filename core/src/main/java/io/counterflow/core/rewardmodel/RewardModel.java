package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;

/**
 * A linear model of the reward, q(x, a) = θ · φ(x, a), fitted by ridge regression: θ minimises
 * Σ<sub>i</sub> (θ · φ(x<sub>i</sub>, a<sub>i</sub>) − r<sub>i</sub>)² + α‖θ‖².
 *
 * <p>Predictions are limited to [0, 1], the range of rewards, which never increases their error.
 * Immutable.
 */
abstract sealed class RewardModel permits DenseRewardModel, HashedRewardModel {

    RewardModel() {}

    /**
     * Fits a model.
     *
     * @param shape a model with the kind and size to use, such as that of the target policy; its
     *     weights are ignored
     */
    static RewardModel fit(ExampleLog log, LinearModel shape, RidgeConfig config) {
        return fit(TrainingFold.whole(log), shape, config);
    }

    static RewardModel fit(TrainingFold fold, LinearModel shape, RidgeConfig config) {
        if (shape instanceof DenseModel dense) {
            return DenseRewardModel.fit(fold, dense.actions(), dense.dimension(), config);
        }
        return HashedRewardModel.fit(fold, ((HashedModel) shape).bits(), config);
    }

    /**
     * Predicts the reward of every action. Allocates nothing.
     *
     * @param features features of the same kind as those on which the model was fitted
     * @param rewards one entry per action, or longer. The first entries are overwritten.
     */
    abstract void predict(Features features, double[] rewards);

    static double bounded(double reward) {
        return Math.min(1.0, Math.max(0.0, reward));
    }
}
