package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import java.util.Arrays;

/** One vector of 2<sup>bits</sup> parameters for hashed features of context and actions. */
final class HashedRewardModel extends RewardModel {

    private final int bits;
    private final double[] theta;

    private HashedRewardModel(int bits, double[] theta) {
        this.bits = bits;
        this.theta = theta;
    }

    static HashedRewardModel fit(TrainingFold fold, int bits, RidgeConfig config) {
        Rows equations = new Rows(fold, bits, config.strength());
        return new HashedRewardModel(
                bits,
                ConjugateGradients.solve(equations, config.tolerance(), config.maxIterations()));
    }

    @Override
    public void predict(Features features, double[] rewards) {
        ActionFeatures phi = hashed(features, bits);
        for (int action = 0; action < phi.actions(); action++) {
            rewards[action] = bounded(FeatureProducts.dot(phi, action, theta));
        }
    }

    /** θ; a copy. */
    double[] parameters() {
        return theta.clone();
    }

    private static ActionFeatures hashed(Features features, int bits) {
        if (!(features instanceof ActionFeatures phi)) {
            throw new IllegalArgumentException(
                    "a hashed reward model needs features of actions, got a context vector");
        }
        if (phi.bits() != bits) {
            throw new IllegalArgumentException(
                    "features are hashed to %d bits but the reward model has %d"
                            .formatted(phi.bits(), bits));
        }
        return phi;
    }

    /** The regression of all rewards on the features of the logged actions. */
    private record Rows(TrainingFold fold, int bits, double strength) implements NormalEquations {

        @Override
        public int dimension() {
            return 1 << bits;
        }

        @Override
        public void multiply(double[] v, double[] product) {
            for (int j = 0; j < v.length; j++) {
                product[j] = strength * v[j];
            }
            ExampleLog log = fold.log();
            for (int i = 0; i < log.size(); i++) {
                if (fold.contains(i)) {
                    ActionFeatures phi = row(i);
                    int action = log.action(i);
                    double score = FeatureProducts.dot(phi, action, v);
                    FeatureProducts.addTo(phi, action, score, product);
                }
            }
        }

        @Override
        public double[] rightHandSide() {
            double[] sum = new double[dimension()];
            ExampleLog log = fold.log();
            for (int i = 0; i < log.size(); i++) {
                if (fold.contains(i)) {
                    FeatureProducts.addTo(row(i), log.action(i), log.reward(i), sum);
                }
            }
            return sum;
        }

        /**
         * Entries with the same index are squared separately, although they are added in a row: a
         * preconditioner need not be exact, and this happens only if two names have the same hash.
         */
        @Override
        public double[] diagonal() {
            double[] sum = new double[dimension()];
            Arrays.fill(sum, strength);
            ExampleLog log = fold.log();
            for (int i = 0; i < log.size(); i++) {
                if (fold.contains(i)) {
                    ActionFeatures phi = row(i);
                    int end = phi.rowStart(log.action(i) + 1);
                    for (int e = phi.rowStart(log.action(i)); e < end; e++) {
                        sum[phi.index(e)] += (double) phi.value(e) * phi.value(e);
                    }
                }
            }
            return sum;
        }

        private ActionFeatures row(int i) {
            ActionFeatures phi = hashed(fold.log().features(i), bits);
            int action = fold.log().action(i);
            if (action >= phi.actions()) {
                throw new IllegalArgumentException(
                        "example %d logged action %d but has features of %d actions"
                                .formatted(i, action, phi.actions()));
            }
            return phi;
        }
    }
}
