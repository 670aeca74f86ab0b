package io.counterflow.core.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExplorationTest {

    private static final LinearModel MODEL =
            new DenseModel(new float[][] {{1, 2}, {0, 1}, {3, 0}}, new float[] {0, 1, 0});
    private static final Features X = DenseVector.of(0.5f, 0.25f);

    @Test
    void withoutExplorationThePolicyIsThePlainOne() {
        assertThat(Exploration.NONE.softmax(MODEL)).isEqualTo(new SoftmaxPolicy(MODEL));
    }

    @Test
    void temperatureComesBeforeTheFloor() {
        double[] served = new double[3];
        new Exploration(2.0, 0.3).softmax(MODEL).probabilities(X, served);
        double[] plain = new double[3];
        new SoftmaxPolicy(MODEL.scaled(2.0)).probabilities(X, plain);
        for (int a = 0; a < 3; a++) {
            assertThat(served[a]).isEqualTo(0.7 * plain[a] + 0.3 / 3);
        }
    }

    @Test
    void atInverseTemperatureZeroEveryActionIsAsProbable() {
        double[] served = new double[3];
        new Exploration(0.0, 0.0).softmax(MODEL).probabilities(X, served);
        assertThat(served).containsOnly(1.0 / 3);
        Decision drawn =
                new Exploration(0.0, 0.0)
                        .estimatedMixedLogit(MODEL, 5.0, 2)
                        .decide(X, EventRandom.of("e"));
        assertThat(drawn.distribution()).containsOnly(1.0 / 3);
    }

    @Test
    void aMixedLogitDrawsScoresThatAreMultipliedAsAWhole() {
        LoggingPolicy byTemperature = new Exploration(2.0, 0.1).estimatedMixedLogit(MODEL, 0.5, 64);
        LoggingPolicy byHand =
                MixedLogitLoggingPolicy.estimating(
                                new MixedLogitPolicy(MODEL.scaled(2.0), 4.0 * 0.5), 64)
                        .withFloor(0.1);
        for (int event = 0; event < 50; event++) {
            String id = "e-" + event;
            assertThat(byTemperature.decide(X, EventRandom.of(id)))
                    .isEqualTo(byHand.decide(X, EventRandom.of(id)));
        }
    }

    @Test
    void aBoundedMixedLogitStatesUpperBounds() {
        Decision drawn =
                new Exploration(1.0, 0.1)
                        .boundedMixedLogit(MODEL, 0.5)
                        .decide(X, EventRandom.of("e"));
        assertThat(drawn.kind()).isEqualTo(PropensityKind.UPPER_BOUND);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, Double.NaN, Double.POSITIVE_INFINITY})
    void whatIsNoTemperatureOrFloorIsRefused(double value) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Exploration(value, 0.0))
                .withMessage("inverseTemperature must be finite and at least 0, got " + value);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Exploration(1.0, value))
                .withMessage("floor must be in [0, 1], got " + value);
    }
}
