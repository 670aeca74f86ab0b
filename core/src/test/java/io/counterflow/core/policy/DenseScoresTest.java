package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DenseScoresTest {

    @Test
    void theTestsUseTheVectorModule() {
        assertThat(DenseScores.ofThisMachine(new float[1][1], new float[1]))
                .isInstanceOf(VectorDenseScores.class);
    }

    @ParameterizedTest
    @CsvSource({"1,1", "2,3", "7,20", "8,5", "9,64", "10,784", "16,3", "17,10", "33,100", "3,0"})
    void vectorsGiveTheSameBitsAsPlainCode(int actions, int dimension) {
        EventRandom random = new EventRandom(actions * 1_000L + dimension);
        for (int trial = 0; trial < 20; trial++) {
            float[][] weights = new float[actions][dimension];
            float[] biases = new float[actions];
            for (int k = 0; k < actions; k++) {
                biases[k] = trial % 2 == 0 ? -0.0f : number(random);
                for (int j = 0; j < dimension; j++) {
                    weights[k][j] = number(random);
                }
            }
            float[] x = new float[dimension];
            for (int j = 0; j < dimension; j++) {
                x[j] = random.nextInt(3) == 0 ? 0.0f : number(random);
            }
            double[] plain = new double[actions + 1];
            double[] vectors = new double[actions + 1];
            plain[actions] = 7.0;
            vectors[actions] = 7.0;
            new DenseScores(weights, biases).scores(DenseVector.of(x), plain);
            new VectorDenseScores(weights, biases).scores(DenseVector.of(x), vectors);
            for (int k = 0; k <= actions; k++) {
                assertThat(Double.doubleToRawLongBits(vectors[k]))
                        .isEqualTo(Double.doubleToRawLongBits(plain[k]));
            }
        }
    }

    /** Of very different sizes, so that the order of a sum shows in its bits. */
    private static float number(EventRandom random) {
        return (float) (random.nextGaussian() * Math.scalb(1.0, random.nextInt(40) - 20));
    }
}
