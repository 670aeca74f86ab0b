package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class QueriedMetricsTest {

    @Test
    void metricsAreDistinguishedFromFunctionsLabelsAndText() {
        QueriedMetrics queried =
                QueriedMetrics.of(
                        """
                        histogram_quantile(0.5, sum by (le, loop) (rate(a_bucket{route="/v1/{loop}/x",status!~"5.."}[5m])))
                          > 1e9 * max(b) / on (job) group_left () c{} and d == 0 or absent(e{x="f(g)"})
                        """);
        assertThat(queried.selected())
                .isEqualTo(
                        Map.of(
                                "a_bucket", Set.of("route", "status"),
                                "b", Set.of(),
                                "c", Set.of(),
                                "d", Set.of(),
                                "e", Set.of("x")));
        assertThat(queried.grouped()).containsExactlyInAnyOrder("le", "loop", "job");
    }
}
