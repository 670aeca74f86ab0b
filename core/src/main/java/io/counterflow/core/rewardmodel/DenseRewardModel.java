package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.log.ExampleLog;
import java.util.Optional;
import org.ejml.data.DMatrixRMaj;

/**
 * A block of weights and a bias for each action of a fixed list. No example affects two blocks, so
 * each is a separate regression.
 */
final class DenseRewardModel extends RewardModel {

    /**
     * Up to this number of parameters per action the matrix of the normal equations is computed and
     * factored; above it, products with the matrix are cheaper.
     */
    static final int MAX_MATRIX = 256;

    private final int dimension;

    /** Per action: d weights and the bias. */
    private final double[][] blocks;

    private DenseRewardModel(int dimension, double[][] blocks) {
        this.dimension = dimension;
        this.blocks = blocks;
    }

    static DenseRewardModel fit(TrainingFold fold, int actions, int dimension, RidgeConfig config) {
        return fit(fold, actions, dimension, config, MAX_MATRIX);
    }

    /**
     * @param maxMatrix maximum number of parameters per action for which a matrix is computed
     */
    static DenseRewardModel fit(
            TrainingFold fold, int actions, int dimension, RidgeConfig config, int maxMatrix) {
        int[][] examples = examplesByAction(fold, actions);
        double[][] blocks = new double[actions][];
        for (int action = 0; action < actions; action++) {
            Block equations = new Block(fold.log(), examples[action], dimension, config.strength());
            Optional<double[]> direct =
                    equations.dimension() <= maxMatrix
                            ? CholeskySolution.solve(equations.matrix(), equations.rightHandSide())
                            : Optional.empty();
            blocks[action] =
                    direct.orElseGet(
                            () ->
                                    ConjugateGradients.solve(
                                            equations, config.tolerance(), config.maxIterations()));
        }
        return new DenseRewardModel(dimension, blocks);
    }

    private static int[][] examplesByAction(TrainingFold fold, int actions) {
        ExampleLog log = fold.log();
        int[] counts = new int[actions];
        for (int i = 0; i < log.size(); i++) {
            if (log.action(i) >= actions) {
                throw new IllegalArgumentException(
                        "example %d logged action %d but the model has %d actions"
                                .formatted(i, log.action(i), actions));
            }
            if (fold.contains(i)) {
                counts[log.action(i)]++;
            }
        }
        int[][] examples = new int[actions][];
        for (int action = 0; action < actions; action++) {
            examples[action] = new int[counts[action]];
        }
        for (int i = log.size() - 1; i >= 0; i--) { // backwards, so that counts end at zero
            if (fold.contains(i)) {
                examples[log.action(i)][--counts[log.action(i)]] = i;
            }
        }
        return examples;
    }

    @Override
    public void predict(Features features, double[] rewards) {
        FeatureVector x = context(features, dimension);
        for (int action = 0; action < blocks.length; action++) {
            rewards[action] = bounded(FeatureProducts.dot(x, blocks[action]));
        }
    }

    /** d weights and the bias of one action; a copy. */
    double[] parameters(int action) {
        return blocks[action].clone();
    }

    private static FeatureVector context(Features features, int dimension) {
        if (!(features instanceof FeatureVector x)) {
            throw new IllegalArgumentException(
                    "a dense reward model needs a context vector, got features of actions");
        }
        if (x.dimension() != dimension) {
            throw new IllegalArgumentException(
                    "context has %d features but the reward model has %d"
                            .formatted(x.dimension(), dimension));
        }
        return x;
    }

    /** The regression of one action's rewards on its contexts, which are not copied. */
    private static final class Block implements NormalEquations {

        private final ExampleLog log;
        private final int[] examples;
        private final int contextDimension;
        private final double strength;

        Block(ExampleLog log, int[] examples, int contextDimension, double strength) {
            this.log = log;
            this.examples = examples;
            this.contextDimension = contextDimension;
            this.strength = strength;
        }

        @Override
        public int dimension() {
            return contextDimension + 1;
        }

        /** ΦᵀΦ + αI. */
        DMatrixRMaj matrix() {
            int d = dimension();
            double[][] lower = new double[d][];
            for (int row = 0; row < d; row++) {
                lower[row] = new double[row + 1];
            }
            for (int i : examples) {
                FeatureProducts.addOuterTo(context(log.features(i), contextDimension), lower);
            }
            DMatrixRMaj matrix = new DMatrixRMaj(d, d);
            for (int row = 0; row < d; row++) {
                for (int column = 0; column <= row; column++) {
                    matrix.set(row, column, lower[row][column]);
                    matrix.set(column, row, lower[row][column]);
                }
                matrix.add(row, row, strength);
            }
            return matrix;
        }

        @Override
        public void multiply(double[] v, double[] product) {
            for (int j = 0; j < v.length; j++) {
                product[j] = strength * v[j];
            }
            for (int i : examples) {
                FeatureVector x = context(log.features(i), contextDimension);
                FeatureProducts.addTo(x, FeatureProducts.dot(x, v), product);
            }
        }

        @Override
        public double[] rightHandSide() {
            double[] sum = new double[dimension()];
            for (int i : examples) {
                if (log.reward(i) != 0.0) {
                    FeatureVector x = context(log.features(i), contextDimension);
                    FeatureProducts.addTo(x, log.reward(i), sum);
                }
            }
            return sum;
        }

        @Override
        public double[] diagonal() {
            double[] sum = new double[dimension()];
            for (int i : examples) {
                FeatureProducts.addSquaresTo(context(log.features(i), contextDimension), sum);
            }
            for (int j = 0; j < sum.length; j++) {
                sum[j] += strength;
            }
            return sum;
        }
    }
}
