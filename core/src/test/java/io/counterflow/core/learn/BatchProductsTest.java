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
        for (BatchProducts products : both(drawn.count, drawn.dimension)) {
            assertScores(products, drawn, drawn.count);
        }
    }

    /** As a learner uses them: for one batch after another, of any size up to the capacity. */
    @ParameterizedTest
    @MethodSource("seeds")
    void anEarlierBatchHasNoEffect(long seed) {
        Drawn first = new Drawn(seed);
        Drawn second = new Drawn(seed + 500, first.count, first.actions, first.dimension);
        for (BatchProducts products : both(first.count, first.dimension)) {
            assertScores(products, first, first.count);
            assertScores(products, second, 1 + first.count / 3);
            assertScores(products, second, 0);
            assertScores(products, first, first.count);
        }
    }

    private static BatchProducts[] both(int capacity, int dimension) {
        return new BatchProducts[] {
            new BatchProducts(capacity), new VectorBatchProducts(capacity, dimension)
        };
    }

    private static void assertScores(BatchProducts products, Drawn drawn, int count) {
        float[][] scores = new float[drawn.actions][drawn.count];
        products.scores(drawn.contexts, count, drawn.weights, drawn.biases, scores);
        for (int k = 0; k < drawn.actions; k++) {
            for (int i = 0; i < drawn.count; i++) {
                float expected =
                        i < count
                                ? DenseVector.of(drawn.contexts[i])
                                        .dot(drawn.weights[k], drawn.biases[k])
                                : 0.0f; // not touched
                assertThat(scores[k][i])
                        .as("%s, action %d, context %d", products.getClass(), k, i)
                        .isEqualTo(expected);
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
            this(
                    seed,
                    1 + new EventRandom(seed).nextInt(70),
                    1 + new EventRandom(seed + 1).nextInt(40), // fewer and more than a vector has
                    1 + new EventRandom(seed + 2).nextInt(40));
        }

        Drawn(long seed, int count, int actions, int dimension) {
            EventRandom random = new EventRandom(seed);
            this.count = count;
            this.actions = actions;
            this.dimension = dimension;
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
