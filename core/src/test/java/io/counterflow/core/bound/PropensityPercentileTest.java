package io.counterflow.core.bound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PropensityPercentileTest {

    @ParameterizedTest
    @CsvSource({"0, 0.1", "20, 0.1", "20.1, 0.2", "50, 0.3", "80, 0.4", "99, 0.9", "100, 0.9"})
    void isTheNearestRank(double percentile, double expected) {
        double[] propensities = {0.4, 0.1, 0.9, 0.3, 0.2};
        assertThat(PropensityPercentile.of(propensities, percentile)).isEqualTo(expected);
        assertThat(propensities).containsExactly(0.4, 0.1, 0.9, 0.3, 0.2);
    }

    @Test
    void readsALog() {
        ExampleLog log = new ExampleLog();
        log.add(new LoggedExample(DenseVector.of(1.0f), 0, 0.7, 1.0, 0));
        log.add(new LoggedExample(DenseVector.of(1.0f), 0, 0.2, 1.0, 0));
        assertThat(PropensityPercentile.of(log, 10.0)).isEqualTo(0.2);
    }

    @Test
    void refusesMissingPropensitiesAndInvalidPercentiles() {
        assertThatThrownBy(() -> PropensityPercentile.of(new ExampleLog(), 10.0))
                .hasMessage("a percentile needs at least one propensity, got 0");
        assertThatThrownBy(() -> PropensityPercentile.of(new double[] {0.5}, 101.0))
                .hasMessage("percentile must be in [0, 100], got 101.0");
    }
}
