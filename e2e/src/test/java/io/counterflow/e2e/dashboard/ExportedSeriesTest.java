package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ExportedSeriesTest {

    private static final ExportedSeries EXPORTED =
            ExportedSeries.of(
                    """
                    # HELP a_total what it is
                    # TYPE a_total counter
                    a_total{loop="home, {sweet}",outcome="x\\"y",} 1.0
                    b 2.0
                    """);

    @Test
    void exportedSeriesAreNotMissing() {
        assertThat(EXPORTED.missing("sum by (loop) (rate(a_total{outcome=\"x\"}[5m])) / b"))
                .isEmpty();
        assertThat(EXPORTED.missing("up{job=\"serving\"} == 0")).isEmpty();
    }

    @Test
    void aNameOrLabelThatIsNotExportedIsMissing() {
        assertThat(EXPORTED.missing("rate(c_total[5m]) > b")).containsExactly("c_total");
        assertThat(EXPORTED.missing("a_total{reason=\"x\"}")).containsExactly("a_total{reason}");
        assertThat(EXPORTED.missing("sum by (topic) (a_total)")).containsExactly("by (topic)");
    }
}
