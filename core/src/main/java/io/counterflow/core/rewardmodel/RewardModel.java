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
 * <p>Predictions are brought into [0, 1], where rewards are: that takes none of them further from
 * its reward, and keeps a product with a large weight in bounds. Immutable.
 */
public abstract sealed class RewardModel permits DenseRewardModel, HashedRewardModel {

    RewardModel() {}

    /**
     * Fits a model.
     *
     * @param shape a model of the kind and size wanted, such as the target policy's; its weights do
     *     not matter
     */
    public static RewardModel fit(ExampleLog log, LinearModel shape, RidgeConfig config) {
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
     * @param features features of the kind that the model was fitted on
     * @param rewards at least as long as there are actions. Its head is overwritten.
     */
    public abstract void predict(Features features, double[] rewards);

    static double bounded(double reward) {
        return Math.min(1.0, Math.max(0.0, reward));
    }
}
