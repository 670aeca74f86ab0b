package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.LinearModel;

/** Scores actions by parameters in one array, without building a model from them. */
final class ActionScores {

    private final int actions; // 0 for hashed features
    private final int dimension;

    /**
     * @param shape a model with the kind and size of the features
     */
    ActionScores(LinearModel shape) {
        boolean dense = shape instanceof DenseModel;
        this.actions = dense ? ((DenseModel) shape).actions() : 0;
        this.dimension = dense ? ((DenseModel) shape).dimension() : 0;
    }

    /**
     * The probability of the example's action if one of the actions with the highest score is drawn
     * among the allowed ones.
     *
     * @param offsetWeight α; 0 if there is no offset
     * @param offsets the offsets of the allowed actions, in order; not read if α is 0
     */
    double greedyProbability(
            LoggedExample example, LogisticBelief belief, double offsetWeight, double[] offsets) {
        Features features = example.features();
        int count = features instanceof ActionFeatures phi ? phi.actions() : actions;
        double best = Double.NEGATIVE_INFINITY;
        double ofAction = Double.NEGATIVE_INFINITY;
        int ties = 0;
        int position = 0;
        for (int action = 0; action < count; action++) {
            if (!example.allowed().contains(action)) {
                continue;
            }
            double score = score(features, action, belief.means());
            if (offsetWeight != 0.0) {
                score += offsetWeight * offsets[position];
            }
            position++;
            if (score > best) {
                best = score;
                ties = 1;
            } else if (score == best) {
                ties++;
            }
            if (action == example.action()) {
                ofAction = score;
            }
        }
        return ofAction == best ? 1.0 / ties : 0.0;
    }

    private double score(Features features, int action, float[] parameters) {
        if (features instanceof ActionFeatures phi) {
            return phi.dot(action, parameters);
        }
        int from = action * dimension;
        double sum = parameters[actions * dimension + action];
        if (features instanceof DenseVector dense) {
            float[] x = dense.values();
            for (int j = 0; j < x.length; j++) {
                sum += x[j] * parameters[from + j];
            }
        } else {
            SparseVector sparse = (SparseVector) features;
            for (int i = 0; i < sparse.entries(); i++) {
                sum += sparse.value(i) * parameters[from + sparse.index(i)];
            }
        }
        return sum;
    }
}
