package io.counterflow.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.e2e.shared.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The alert rules are equal in all deployments, tested by promtool and explained in the docs. */
@Timeout(60)
final class AlertRulesIT {

    private static final Path PROMETHEUS = Path.of("..", "docker", "prometheus");
    private static final Path RULES = PROMETHEUS.resolve("rules/counterflow.yml");
    private static final Path TESTS = PROMETHEUS.resolve("tests/counterflow_test.yml");
    private static final Path MANIFEST = Path.of("..", "k8s", "base", "alerts.yaml");
    private static final Path RUNBOOK = Path.of("..", "docs", "operations.md");

    private static Set<String> alerts() throws IOException {
        return new TreeSet<>(Yaml.read(RULES).findValuesAsText("alert"));
    }

    @Test
    void theManifestHasTheSameRules() throws IOException {
        assertThat(Yaml.read(MANIFEST).at("/spec/groups"))
                .isEqualTo(Yaml.read(RULES).get("groups"));
    }

    @Test
    void everyAlertIsExplainedInTheRunbookThatItLinks() throws IOException {
        String runbook = Files.readString(RUNBOOK);
        for (JsonNode group : Yaml.read(RULES).get("groups")) {
            for (JsonNode rule : group.get("rules")) {
                String alert = rule.get("alert").asText();
                assertThat(runbook).contains("\n### " + alert + "\n");
                assertThat(rule.at("/annotations/runbook").asText())
                        .isEqualTo("docs/operations.md#" + alert.toLowerCase(Locale.ROOT));
                assertThat(rule.at("/labels/severity").asText()).isIn("critical", "warning");
            }
        }
    }

    @Test
    void everyAlertHasATestThatFiresAndOneThatDoesNot() throws IOException {
        Set<String> fired = new TreeSet<>();
        Set<String> silent = new TreeSet<>();
        for (JsonNode test : Yaml.read(TESTS).get("tests")) {
            for (JsonNode expected : test.get("alert_rule_test")) {
                (expected.get("exp_alerts").isEmpty() ? silent : fired)
                        .add(expected.get("alertname").asText());
            }
        }
        assertThat(fired).isEqualTo(alerts());
        assertThat(silent).isEqualTo(alerts());
    }

    @Test
    void promtoolAcceptsTheRulesAndTheirTestsPass() throws IOException, InterruptedException {
        Program promtool =
                Program.find(
                        "promtool",
                        "COUNTERFLOW_REQUIRE_PROMTOOL",
                        "install the package prometheus to run the tests of the alert rules");
        Program.Result checked = promtool.run("check", "rules", RULES.toString());
        assertThat(checked.exitCode()).as(checked.output()).isZero();
        Program.Result tested = promtool.run("test", "rules", TESTS.toString());
        assertThat(tested.exitCode()).as(tested.output()).isZero();
    }
}
