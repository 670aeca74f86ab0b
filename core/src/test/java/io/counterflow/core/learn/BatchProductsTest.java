package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.numeric.EventRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plain and vector products against one context at a time: the same bits. */
final class BatchProductsTest {

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    @Test
    void theseTestsRunWithTheVectorModule() {
        assertThat(BatchProducts.ofThisMachine(1, 1)).isInstanceOf(VectorBatchProducts.class);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void scoresOfABatchHaveTheBitsOfScoresOneByOne(long seed) {
        Drawn drawn = new Drawn(seed);
        for (BatchProducts products :
                new BatchProducts[] {
                    new BatchProducts(drawn.count),
                    new VectorBatchProducts(drawn.count, drawn.dimension)
                }) {
            float[][] scores = new float[drawn.actions][drawn.count];
            products.scores(drawn.contexts, drawn.count, drawn.weights, drawn.biases, scores);
            for (int k = 0; k < drawn.actions; k++) {
                for (int i = 0; i < drawn.count; i++) {
                    assertThat(scores[k][i])
                            .as("%s, action %d, context %d", products.getClass(), k, i)
                            .isEqualTo(
                                    DenseVector.of(drawn.contexts[i])
                                            .dot(drawn.weights[k], drawn.biases[k]));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theGradientOfABatchHasTheBitsOfContextsAddedOneByOne(long seed) {
        Drawn drawn = new Drawn(seed);
        float[][] errors = Drawn.matrix(new EventRandom(seed + 1_000), drawn.actions, drawn.count);
        float[][] gradient = new float[drawn.actions][drawn.dimension];
        new BatchProducts(drawn.count).addGradient(drawn.contexts, drawn.count, errors, gradient);
        for (int k = 0; k < drawn.actions; k++) {
            float[] expected = new float[drawn.dimension];
            for (int i = 0; i < drawn.count; i++) {
                DenseVector.of(drawn.contexts[i]).addTo(errors[k][i], expected);
            }
            assertThat(gradient[k]).isEqualTo(expected);
        }
    }

    private static final class Drawn {
        final int count;
        final int actions;
        final int dimension;
        final float[][] contexts;
        final float[][] weights;
        final float[] biases;

        Drawn(long seed) {
            EventRandom random = new EventRandom(seed);
            this.count = 1 + random.nextInt(70);
            this.actions = 1 + random.nextInt(40); // below, at and above whole vectors
            this.dimension = 1 + random.nextInt(40);
            this.contexts = matrix(random, count, dimension);
            this.weights = matrix(random, actions, dimension);
            this.biases = matrix(random, 1, actions)[0];
        }

        static float[][] matrix(EventRandom random, int rows, int columns) {
            float[][] matrix = new float[rows][columns];
            for (float[] row : matrix) {
                for (int j = 0; j < columns; j++) {
                    row[j] = (float) random.nextGaussian();
                }
            }
            return matrix;
        }
    }
}
