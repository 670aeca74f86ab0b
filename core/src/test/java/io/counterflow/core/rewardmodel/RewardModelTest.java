package io.counterflow.core.rewardmodel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.HashedModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.interfaces.linsol.LinearSolverDense;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class RewardModelTest {

    private static final RidgeConfig EXACT = new RidgeConfig(0.7, 1e-12, 200);

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 25);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aDenseModelAgreesWithADirectSolution(long seed) {
        EventRandom random = new EventRandom(seed);
        int actions = 1 + random.nextInt(3);
        int dimension = 1 + random.nextInt(6);
        ExampleLog log = denseLog(actions, dimension, 60, random);
        DenseModel shape = DenseModel.zeros(actions, dimension);
        DenseRewardModel model = (DenseRewardModel) RewardModel.fit(log, shape, EXACT);
        for (int action = 0; action < actions; action++) {
            List<double[]> rows = new ArrayList<>();
            List<Double> rewards = new ArrayList<>();
            for (int i = 0; i < log.size(); i++) {
                if (log.action(i) == action) {
                    rows.add(withConstant((FeatureVector) log.features(i)));
                    rewards.add(log.reward(i));
                }
            }
            double[] expected = ridge(rows, rewards, dimension + 1, EXACT.strength());
            assertThat(model.parameters(action))
                    .as("seed %d, action %d", seed, action)
                    .containsExactly(expected, within(1e-9));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aHashedModelAgreesWithADirectSolution(long seed) {
        EventRandom random = new EventRandom(seed);
        int bits = 3;
        ExampleLog log = hashedLog(bits, 80, random);
        List<double[]> rows = new ArrayList<>();
        List<Double> rewards = new ArrayList<>();
        for (int i = 0; i < log.size(); i++) {
            double[] row = new double[1 << bits];
            FeatureProducts.addTo((ActionFeatures) log.features(i), log.action(i), 1.0, row);
            rows.add(row);
            rewards.add(log.reward(i));
        }
        HashedRewardModel model =
                (HashedRewardModel) RewardModel.fit(log, HashedModel.zeros(bits), EXACT);
        assertThat(model.parameters())
                .as("seed %d", seed)
                .containsExactly(ridge(rows, rewards, 1 << bits, 0.7), within(1e-9));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sparseContextsGiveTheSameBitsAsDenseOnes(long seed) {
        EventRandom random = new EventRandom(seed);
        ExampleLog dense = denseLog(2, 7, 40, random);
        ExampleLog sparse = new ExampleLog();
        for (int i = 0; i < dense.size(); i++) {
            sparse.add(
                    new LoggedExample(
                            sparse((DenseVector) dense.features(i)),
                            dense.action(i),
                            dense.propensity(i),
                            dense.reward(i),
                            0));
        }
        DenseModel shape = DenseModel.zeros(2, 7);
        RewardModel ofDense = RewardModel.fit(dense, shape, RidgeConfig.DEFAULT);
        RewardModel ofSparse = RewardModel.fit(sparse, shape, RidgeConfig.DEFAULT);
        double[] one = new double[2];
        double[] other = new double[2];
        for (int i = 0; i < dense.size(); i++) {
            ofDense.predict(dense.features(i), one);
            ofSparse.predict(sparse.features(i), other);
            assertThat(other).as("seed %d", seed).containsExactly(one);
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void factoringAndConjugateGradientsAgree(long seed) {
        EventRandom random = new EventRandom(seed);
        int actions = 1 + random.nextInt(3);
        int dimension = 1 + random.nextInt(20);
        TrainingFold fold = TrainingFold.whole(denseLog(actions, dimension, 100, random));
        DenseRewardModel factored = DenseRewardModel.fit(fold, actions, dimension, EXACT);
        DenseRewardModel iterated = DenseRewardModel.fit(fold, actions, dimension, EXACT, 0);
        for (int action = 0; action < actions; action++) {
            assertThat(factored.parameters(action))
                    .as("seed %d, action %d", seed, action)
                    .containsExactly(iterated.parameters(action), within(1e-6));
        }
    }

    /** Σ (θ·(x, 1) − r)(x, 1) + αθ = 0, which conjugate gradients meet only up to a tolerance. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aFactoredModelSatisfiesTheNormalEquations(long seed) {
        EventRandom random = new EventRandom(seed);
        int dimension = 1 + random.nextInt(20);
        ExampleLog log = denseLog(2, dimension, 100, random);
        DenseModel shape = DenseModel.zeros(2, dimension);
        RidgeConfig oneStep = new RidgeConfig(0.7, 0.9, 1); // has no effect on a factorisation
        DenseRewardModel model = (DenseRewardModel) RewardModel.fit(log, shape, oneStep);
        for (int action = 0; action < 2; action++) {
            double[] theta = model.parameters(action);
            double[] gradient = new double[dimension + 1];
            for (int j = 0; j <= dimension; j++) {
                gradient[j] = 0.7 * theta[j];
            }
            for (int i = 0; i < log.size(); i++) {
                if (log.action(i) == action) {
                    double[] row = withConstant((FeatureVector) log.features(i));
                    double error = -log.reward(i);
                    for (int j = 0; j <= dimension; j++) {
                        error += theta[j] * row[j];
                    }
                    for (int j = 0; j <= dimension; j++) {
                        gradient[j] += error * row[j];
                    }
                }
            }
            assertThat(gradient)
                    .as("seed %d, action %d", seed, action)
                    .containsExactly(new double[dimension + 1], within(1e-11));
        }
    }

    /** One step of conjugate gradients is far from the solution, which tells the two ways apart. */
    @Test
    void upTo256ParametersOfAnActionAreFactoredAndMoreAreNot() {
        RidgeConfig oneStep = new RidgeConfig(0.7, 0.9, 1);
        for (int dimension : new int[] {255, 256}) {
            ExampleLog log = denseLog(1, dimension, 40, new EventRandom(3));
            TrainingFold fold = TrainingFold.whole(log);
            DenseRewardModel fitted = DenseRewardModel.fit(fold, 1, dimension, oneStep);
            boolean factored = dimension + 1 <= 256;
            DenseRewardModel expected =
                    DenseRewardModel.fit(
                            fold, 1, dimension, oneStep, factored ? Integer.MAX_VALUE : 0);
            DenseRewardModel other =
                    DenseRewardModel.fit(
                            fold, 1, dimension, oneStep, factored ? 0 : Integer.MAX_VALUE);
            assertThat(fitted.parameters(0)).containsExactly(expected.parameters(0));
            assertThat(fitted.parameters(0)).isNotEqualTo(other.parameters(0));
        }
    }

    /** Computed once and kept: the bits of a factored model are the same on every machine. */
    @Test
    void aFactoredModelHasTheSameBitsEverywhere() {
        ExampleLog log = denseLog(1, 3, 50, new EventRandom(7));
        DenseRewardModel model =
                (DenseRewardModel) RewardModel.fit(log, DenseModel.zeros(1, 3), EXACT);
        assertThat(Arrays.stream(model.parameters(0)).mapToObj(Double::toHexString))
                .containsExactly(
                        "0x1.08b6ecfd3c987p-6",
                        "-0x1.a4ede762bfebbp-4",
                        "-0x1.637f456861d38p-6",
                        "0x1.d23e0bafcd432p-2");
    }

    @Test
    void aMatrixThatIsNotPositiveDefiniteHasNoDirectSolution() {
        DMatrixRMaj indefinite = new DMatrixRMaj(new double[][] {{1.0, 2.0}, {2.0, 1.0}});
        assertThat(CholeskySolution.solve(indefinite, new double[] {1.0, 1.0})).isEmpty();
        DMatrixRMaj infinite = new DMatrixRMaj(new double[][] {{1.0, 0.0}, {0.0, Double.NaN}});
        assertThat(CholeskySolution.solve(infinite, new double[] {1.0, 1.0})).isEmpty();
    }

    /** With equal features of 1e12, a penalty of 1 is lost in the rounding of doubles. */
    @Test
    void longFeaturesThatDependOnEachOtherAreFittedAllTheSame() {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 20; i++) {
            float x = (float) (1e12 * (1 + i % 3));
            log.add(new LoggedExample(DenseVector.of(x, x, x), 0, 0.5, (i % 3) / 2.0, 0));
        }
        double[] rewards = new double[1];
        RewardModel.fit(log, DenseModel.zeros(1, 3), RidgeConfig.DEFAULT)
                .predict(log.features(2), rewards);
        assertThat(rewards[0]).isBetween(0.0, 1.0);
    }

    @Test
    void anExampleIsPredictedByAModelThatHasNotSeenIt() {
        ExampleLog log = denseLog(2, 3, 31, new EventRandom(4));
        DenseModel shape = DenseModel.zeros(2, 3);
        CrossFittedRewardModel fitted = CrossFittedRewardModel.fit(log, shape, 3, EXACT);
        double[] actual = new double[2];
        double[] expected = new double[2];
        for (int fold = 0; fold < 3; fold++) {
            ExampleLog others = new ExampleLog();
            for (int i = 0; i < log.size(); i++) {
                if (i % 3 != fold) {
                    others.add(log.example(i));
                }
            }
            RewardModel model = RewardModel.fit(others, shape, EXACT);
            for (int i = fold; i < log.size(); i += 3) {
                fitted.predict(i, log.features(i), actual);
                model.predict(log.features(i), expected);
                assertThat(actual).containsExactly(expected);
            }
        }
    }

    @Test
    void predictionsStayWithinTheRewards() {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i <= 10; i++) {
            log.add(new LoggedExample(DenseVector.of(i), 0, 0.5, i / 10.0, 0));
        }
        RewardModel model = RewardModel.fit(log, DenseModel.zeros(1, 1), EXACT);
        double[] prediction = new double[1];
        model.predict(DenseVector.of(1e9f), prediction);
        assertThat(prediction[0]).isEqualTo(1.0);
        model.predict(DenseVector.of(-1e9f), prediction);
        assertThat(prediction[0]).isEqualTo(0.0);
    }

    @Test
    void withoutExamplesOrRewardsTheModelSaysZero() {
        double[] prediction = {9.0, 9.0};
        RewardModel empty =
                RewardModel.fit(new ExampleLog(), DenseModel.zeros(2, 1), RidgeConfig.DEFAULT);
        empty.predict(DenseVector.of(3.0f), prediction);
        assertThat(prediction).containsExactly(0.0, 0.0);
        ExampleLog unrewarded = new ExampleLog();
        unrewarded.add(new LoggedExample(DenseVector.of(1.0f), 1, 0.5, 0.0, 0));
        CrossFittedRewardModel.fit(unrewarded, DenseModel.zeros(2, 1), 5, RidgeConfig.DEFAULT)
                .predict(0, DenseVector.of(3.0f), prediction);
        assertThat(prediction).containsExactly(0.0, 0.0);
    }

    @Test
    void enormousFeaturesGiveFinitePredictions() {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < 20; i++) {
            float x = i % 2 == 0 ? Float.MAX_VALUE : -Float.MAX_VALUE;
            log.add(new LoggedExample(DenseVector.of(x, 1e-38f), 0, 0.5, (i + 1) % 2, 0));
        }
        double[] prediction = new double[1];
        RewardModel.fit(log, DenseModel.zeros(1, 2), RidgeConfig.DEFAULT)
                .predict(DenseVector.of(Float.MAX_VALUE, 0.0f), prediction);
        assertThat(prediction[0]).isBetween(0.5, 1.0);
    }

    @Test
    void equationsThatAreNotPositiveDefiniteAreRefused() {
        NormalEquations indefinite =
                new NormalEquations() {
                    @Override
                    public int dimension() {
                        return 2;
                    }

                    @Override
                    public void multiply(double[] v, double[] product) {
                        product[0] = v[1];
                        product[1] = -v[0];
                    }

                    @Override
                    public double[] rightHandSide() {
                        return new double[] {1.0, 1.0};
                    }

                    @Override
                    public double[] diagonal() {
                        return new double[] {1.0, 1.0};
                    }
                };
        assertThatThrownBy(() -> ConjugateGradients.solve(indefinite, 1e-6, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("normal equations (2x2) are not positive definite");
    }

    @Test
    void whatDoesNotFitIsNamedInTheMessage() {
        ExampleLog log = denseLog(3, 2, 20, new EventRandom(1));
        assertThatThrownBy(() -> RewardModel.fit(log, DenseModel.zeros(3, 5), EXACT))
                .hasMessage("context has 2 features but the reward model has 5");
        assertThatThrownBy(() -> RewardModel.fit(log, DenseModel.zeros(1, 2), EXACT))
                .hasMessageContaining("but the model has 1 actions");
        assertThatThrownBy(() -> RewardModel.fit(log, HashedModel.zeros(4), EXACT))
                .hasMessage(
                        "a hashed reward model needs features of actions, got a context vector");
        ExampleLog hashed = hashedLog(3, 5, new EventRandom(1));
        assertThatThrownBy(() -> RewardModel.fit(hashed, HashedModel.zeros(4), EXACT))
                .hasMessage("features are hashed to 3 bits but the reward model has 4");
        assertThatThrownBy(() -> RewardModel.fit(hashed, DenseModel.zeros(3, 5), EXACT))
                .hasMessage("a dense reward model needs a context vector, got features of actions");
        assertThatThrownBy(() -> CrossFittedRewardModel.fit(log, DenseModel.zeros(3, 2), 1, EXACT))
                .hasMessage("folds must be at least 2, got 1");
        assertThatThrownBy(() -> new RidgeConfig(0.0, 0.1, 1))
                .hasMessage("strength must be in (0, 1e100], got 0.0");
        assertThatThrownBy(() -> new RidgeConfig(1.0, 1.0, 1))
                .hasMessage("tolerance must be in (0, 1), got 1.0");
        assertThatThrownBy(() -> new RidgeConfig(1.0, 0.1, 0))
                .hasMessage("maxIterations must be at least 1, got 0");
    }

    private static ExampleLog denseLog(int actions, int dimension, int n, EventRandom random) {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < n; i++) {
            float[] x = new float[dimension];
            for (int j = 0; j < dimension; j++) {
                x[j] = random.nextInt(3) == 0 ? 0.0f : (float) random.nextGaussian();
            }
            log.add(
                    new LoggedExample(
                            DenseVector.owning(x),
                            random.nextInt(actions),
                            0.5,
                            random.nextDouble(),
                            0));
        }
        return log;
    }

    /** Two to four actions of three entries each; indices may repeat within a row. */
    private static ExampleLog hashedLog(int bits, int n, EventRandom random) {
        ExampleLog log = new ExampleLog();
        for (int i = 0; i < n; i++) {
            int actions = 2 + random.nextInt(3);
            int[] rowStarts = new int[actions + 1];
            int[] indices = new int[3 * actions];
            float[] values = new float[3 * actions];
            for (int e = 0; e < indices.length; e++) {
                indices[e] = random.nextInt(1 << bits);
                values[e] = (float) random.nextGaussian();
                rowStarts[e / 3 + 1] = e + 1;
            }
            log.add(
                    new LoggedExample(
                            ActionFeatures.of(bits, rowStarts, indices, values),
                            random.nextInt(actions),
                            0.5,
                            random.nextDouble(),
                            0));
        }
        return log;
    }

    private static SparseVector sparse(DenseVector x) {
        float[] all = x.toArray();
        int[] indices = new int[all.length];
        float[] values = new float[all.length];
        int used = 0;
        for (int j = 0; j < all.length; j++) {
            if (all[j] != 0.0f) {
                indices[used] = j;
                values[used++] = all[j];
            }
        }
        return new SparseVector(
                all.length, Arrays.copyOf(indices, used), Arrays.copyOf(values, used));
    }

    private static double[] withConstant(FeatureVector x) {
        float[] values = x.toArray();
        double[] row = new double[values.length + 1];
        for (int j = 0; j < values.length; j++) {
            row[j] = values[j];
        }
        row[values.length] = 1.0;
        return row;
    }

    /** (ΦᵀΦ + αI)⁻¹ Φᵀr by Cholesky. */
    private static double[] ridge(
            List<double[]> rows, List<Double> rewards, int d, double strength) {
        DMatrixRMaj gram = new DMatrixRMaj(d, d);
        DMatrixRMaj right = new DMatrixRMaj(d, 1);
        for (int j = 0; j < d; j++) {
            gram.add(j, j, strength);
        }
        for (int i = 0; i < rows.size(); i++) {
            double[] row = rows.get(i);
            for (int j = 0; j < d; j++) {
                right.add(j, 0, row[j] * rewards.get(i));
                for (int k = 0; k < d; k++) {
                    gram.add(j, k, row[j] * row[k]);
                }
            }
        }
        LinearSolverDense<DMatrixRMaj> solver = LinearSolverFactory_DDRM.symmPosDef(d);
        assertThat(solver.setA(gram.copy())).as("positive definite").isTrue();
        DMatrixRMaj solution = new DMatrixRMaj(d, 1);
        solver.solve(right, solution);
        return solution.getData();
    }
}
