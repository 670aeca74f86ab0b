package io.counterflow.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NormalQuantileTest {

    @ParameterizedTest
    @CsvSource({
        "0.5, 0.0",
        "0.3, 0.5244005127080407",
        "0.05, 1.6448536269514726",
        "0.025, 1.9599639845400538",
        "1e-10, 6.361340902404056",
        "1e-20, 9.262340089798405",
        "0.9, -1.2815515655446008",
        "0.975, -1.9599639845400538"
    })
    void agreesWithPublishedQuantiles(double tail, double quantile) {
        assertThat(NormalQuantile.upper(tail)).isCloseTo(quantile, within(1e-13));
    }
}
