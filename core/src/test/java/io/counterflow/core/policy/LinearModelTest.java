package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LinearModelTest {

    private static final DenseModel DENSE =
            new DenseModel(new float[][] {{1f, 2f}, {-1f, 0.5f}}, new float[] {0.25f, -0.5f});
    private static final HashedModel HASHED = new HashedModel(2, new float[] {1f, -2f, 4f, 0f});

    @Test
    void denseScoresAreProductsPlusBiases() {
        double[] scores = {0.0, 0.0, 7.0};
        DENSE.scores(DenseVector.of(2f, -1f), scores);
        assertThat(scores).containsExactly(0.25, -3.0, 7.0); // only the head is written
    }

    @Test
    void hashedScoresAddUpIndicesThatOccurTwice() {
        double[] scores = new double[2];
        HASHED.scores(
                ActionFeatures.of(
                        2, new int[] {0, 3, 3}, new int[] {1, 2, 1}, new float[] {1f, 0.5f, 2f}),
                scores);
        assertThat(scores).containsExactly(-4.0, 0.0);
    }

    @Test
    void distancesAndCountsAreThoseOfTheParameters() {
        assertThat(DENSE.squaredDistance(DENSE.zeros())).isEqualTo(6.25);
        assertThat(DENSE.squaredBiasDistance(DENSE.zeros())).isEqualTo(0.3125);
        assertThat(DENSE.weightCount()).isEqualTo(4);
        assertThat(DENSE.biasCount()).isEqualTo(2);
        assertThat(HASHED.squaredDistance(HASHED.zeros())).isEqualTo(21.0);
        assertThat(HASHED.squaredBiasDistance(HASHED.zeros())).isZero();
        assertThat(HASHED.weightCount()).isEqualTo(4);
        assertThat(HASHED.biasCount()).isZero();
    }

    @Test
    void anInverseTemperatureScalesWeightsAndBiases() {
        DenseModel half = DENSE.scaled(0.5);
        assertThat(half.weights(1)).containsExactly(-0.5f, 0.25f);
        assertThat(half.biases()).containsExactly(0.125f, -0.25f);
        assertThat(HASHED.scaled(2.0).weights()).containsExactly(2f, -4f, 8f, 0f);
        assertThatThrownBy(() -> DENSE.scaled(Double.NaN))
                .hasMessage("inverseTemperature must be finite, got NaN");
        assertThatThrownBy(() -> DENSE.scaled(1e300)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void zerosAreTheirOwnScaledModel() {
        for (LinearModel zeros : List.of(HASHED.zeros(), DENSE.zeros())) {
            assertThat(zeros.scaled(2.0)).isSameAs(zeros);
            assertThatThrownBy(() -> zeros.scaled(Double.NaN))
                    .hasMessage("inverseTemperature must be finite, got NaN");
        }
        DenseModel biased = new DenseModel(new float[2][2], new float[] {0f, 1f});
        assertThat(biased.scaled(2.0).biases()).containsExactly(0f, 2f);
    }

    @Test
    void modelsOfZerosHaveNoArrays() {
        List<LinearModel> models = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) { // with arrays, 4 GiB each
            models.add(HashedModel.zeros(30));
            models.add(DenseModel.zeros(1_000, 1_000_000));
        }
        assertThat(models.get(0).weightCount()).isEqualTo(1L << 30);
        assertThat(models.get(1).weightCount()).isEqualTo(1_000_000_000L);
    }

    @Test
    void aModelOfZerosIsEqualToOneWithZerosInItsArray() {
        assertThat(new HashedModel(2, new float[4])).isEqualTo(HashedModel.zeros(2));
        assertThat(HashedModel.zeros(3)).isNotEqualTo(HashedModel.zeros(2));
        assertThat(new HashedModel(2, new float[] {0f, -0f, 0f, 0f}))
                .isNotEqualTo(HashedModel.zeros(2));
        assertThat(HashedModel.zeros(2).weights()).containsExactly(0f, 0f, 0f, 0f);
        assertThat(new DenseModel(new float[2][3], new float[2])).isEqualTo(DenseModel.zeros(2, 3));
        assertThat(DenseModel.zeros(2, 3)).isNotEqualTo(DenseModel.zeros(2, 4));
        assertThat(DenseModel.zeros(2, 3).weights(1)).containsExactly(0f, 0f, 0f);
    }

    @Test
    void aModelOfZerosScoresAsOneWithAnArray() {
        ActionFeatures phi =
                ActionFeatures.of(
                        2, new int[] {0, 2, 3}, new int[] {1, 2, 1}, new float[] {-1f, 0.5f, 2f});
        double[] scores = {7.0, 7.0, 7.0};
        HashedModel.zeros(2).scores(phi, scores);
        assertThat(scores).containsExactly(phi.dot(0, new float[4]), 0.0, 7.0);
        scores[1] = 7.0;
        HashedModel.zeros(2).scores(phi, AllowedActions.allBut(0), scores);
        assertThat(scores).containsExactly(0.0, 7.0, 7.0);
        DenseModel biased = new DenseModel(new float[2][2], new float[] {-0f, 1.5f});
        double[] sums = new double[2];
        DenseVector x = DenseVector.of(-2f, 1f);
        x.dots(new float[2][2], biased.biases(), sums);
        biased.scores(x, scores);
        assertThat(scores).containsExactly(sums[0], sums[1], 7.0);
    }

    @Test
    void parametersAreCopiedInAndOut() {
        float[][] weights = {{1f}};
        float[] biases = {2f};
        DenseModel model = new DenseModel(weights, biases);
        weights[0][0] = 9f;
        biases[0] = 9f;
        model.weights(0)[0] = 9f;
        model.biases()[0] = 9f;
        assertThat(model.weights(0)).containsExactly(1f);
        assertThat(model.biases()).containsExactly(2f);
    }

    @Test
    void refusesWhatDoesNotFit() {
        ActionFeatures phi = ActionFeatures.of(3, new int[2], new int[0], new float[0]);
        assertThatThrownBy(() -> DENSE.scores(phi, new double[2]))
                .hasMessage("a dense model needs a context vector, got features of actions");
        assertThatThrownBy(() -> HASHED.scores(DenseVector.of(1f), new double[2]))
                .hasMessage("a hashed model needs features of actions, got a context vector");
        assertThatThrownBy(() -> HASHED.scores(phi, new double[2]))
                .hasMessage("features are hashed to 3 bits but the model has 2");
        assertThatThrownBy(() -> DENSE.squaredDistance(HASHED))
                .hasMessageContaining("differ in shape");
        assertThatThrownBy(() -> new DenseModel(new float[0][], new float[0]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HashedModel(2, new float[3]))
                .hasMessage("a hashed model of 2 bits needs 4 weights, got 3");
        assertThatThrownBy(() -> new HashedModel(1, new float[] {0f, Float.NaN}))
                .hasMessage("weight 1 must be finite, got NaN");
    }
}
