package io.counterflow.e2e.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A whole deployment exports every metric that alerts and the Grafana dashboard query. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class ExportedMetricsIT {

    private static final Path SHIPPED = Path.of("..", "docker");
    private static final Duration SOON = Duration.ofSeconds(90);

    @TempDir private Path directory;

    private static List<String> alerts() throws IOException {
        JsonNode rules =
                new ObjectMapper(new YAMLFactory())
                        .readTree(SHIPPED.resolve("prometheus/rules/counterflow.yml").toFile());
        return rules.findValuesAsText("expr");
    }

    private static List<String> panels() throws IOException {
        JsonNode dashboard =
                new ObjectMapper()
                        .readTree(SHIPPED.resolve("grafana/dashboards/counterflow.json").toFile());
        List<String> queries = new ArrayList<>(dashboard.findValuesAsText("expr"));
        for (JsonNode variable : dashboard.at("/templating/list")) {
            String values = variable.path("definition").asText(); // label_values(metric, label)
            if (!values.isEmpty()) {
                queries.add(values.replaceFirst("label_values\\((\\w+), (\\w+)\\)", "$1{$2=\"\"}"));
            }
        }
        return queries;
    }

    @Test
    void everyMetricOfAlertsAndDashboardIsExportedWithItsLabels() throws Exception {
        List<String> queries = alerts();
        assertThat(queries).hasSizeGreaterThan(10);
        queries.addAll(panels());
        assertThat(queries).hasSizeGreaterThan(60);
        try (PushedMetrics pushed = PushedMetrics.open();
                LiveDeployment deployment = LiveDeployment.start(directory, pushed.cluster())) {
            deployment.make("front-page", "\"snapshotExamples\":100,\"rolloutMode\":\"gated\"");
            deployment.letUsersCome(List.of("front-page"));
            deployment.awaitTrafficOf("front-page", Duration.ofSeconds(8), SOON);
            Set<String> missing = missing(queries, deployment, pushed);
            long end = System.nanoTime() + SOON.toNanos();
            while (!missing.isEmpty() && System.nanoTime() < end) { // reported every second
                TimeUnit.MILLISECONDS.sleep(500);
                missing = missing(queries, deployment, pushed);
            }
            assertThat(missing).isEmpty();
            assertThat(pushed.text()).as("a loop's name as it is").contains("loop=\"front-page\"");
            assertThat(deployment.metrics())
                    .contains("counterflow_ready 1.0")
                    .containsPattern("counterflow_job_lag_records \\d")
                    .containsPattern("counterflow_job_commit_age_seconds \\d");
        }
    }

    private static Set<String> missing(
            List<String> queries, LiveDeployment deployment, PushedMetrics pushed)
            throws IOException, InterruptedException {
        ExportedSeries exported = ExportedSeries.of(pushed.text() + "\n" + deployment.metrics());
        Set<String> missing = new LinkedHashSet<>();
        queries.forEach(it -> missing.addAll(exported.missing(it)));
        return missing;
    }
}
