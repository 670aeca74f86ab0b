package io.counterflow.core.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.HashedModel;
import io.counterflow.core.policy.LinearModel;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class MeanOfIteratesTest {

    /** Models of the same shape with parameters that differ. */
    static Stream<List<LinearModel>> iterates() {
        return Stream.of(
                List.of(dense(1), dense(5), dense(-3)), List.of(hashed(2), hashed(0), hashed(7)));
    }

    private static LinearModel dense(float shift) {
        return new DenseModel(
                new float[][] {{shift, 2.0f * shift}, {1.0f, -shift}, {0.5f, shift + 3.0f}},
                new float[] {shift, 0.0f, 4.0f * shift});
    }

    private static LinearModel hashed(float shift) {
        return new HashedModel(2, new float[] {shift, 1.0f, -shift, 2.0f * shift});
    }

    @ParameterizedTest
    @MethodSource("iterates")
    void theMeanHasTheOrderOfFlatParameters(List<LinearModel> iterates) {
        int parameters = FlatParameters.of(iterates.get(0)).length;
        float[] mean = new float[parameters];
        for (int i = 0; i < iterates.size(); i++) {
            learner(iterates.get(i)).addToMean(mean, i + 1);
        }
        for (int j = 0; j < parameters; j++) {
            double sum = 0.0;
            for (LinearModel iterate : iterates) {
                sum += FlatParameters.of(iterate)[j];
            }
            assertThat((double) mean[j]).isCloseTo(sum / iterates.size(), within(1e-6));
        }
    }

    @ParameterizedTest
    @MethodSource("iterates")
    void theFirstTermReplacesZeros(List<LinearModel> iterates) {
        float[] parameters = FlatParameters.of(iterates.get(0));
        float[] mean = new float[parameters.length];
        learner(iterates.get(0)).addToMean(mean, 1);
        assertThat(mean).isEqualTo(parameters);
    }

    private static Learner learner(LinearModel at) {
        return Learner.start(at, at, 0.0, 1.0, new AdaGrad(1.0, 1.0), 1);
    }
}
