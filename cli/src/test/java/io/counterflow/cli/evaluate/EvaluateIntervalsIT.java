package io.counterflow.cli.evaluate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterflow.cli.OfflineCommands;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** Intervals, warnings and the plot of an evaluation. */
final class EvaluateIntervalsIT {

    @TempDir private Path dir;

    private final OfflineCommands commands = new OfflineCommands();

    private static JsonNode evaluate(Path log, String policy, Object... more) throws IOException {
        Object[] words = {"evaluate", "--log", log, "--policy", policy, "--folds", 0};
        Object[] all = Arrays.copyOf(words, words.length + more.length);
        System.arraycopy(more, 0, all, words.length, more.length);
        return OfflineCommands.json(all);
    }

    @Test
    void theGuaranteedIntervalIsUsefulAtHalfAPercent() throws IOException {
        double rate = 0.005;
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 10_000, rate, 1, "");

        JsonNode report = evaluate(log, "uniform");

        assertThat(report.path("largestPossibleWeight").asDouble()).isEqualTo(1.0);
        JsonNode betting = report.path("intervals").path("ips").path("betting");
        assertThat(betting.get(0).asDouble()).isBetween(0.0025, rate);
        assertThat(betting.get(1).asDouble()).isBetween(rate, 0.01);
        JsonNode bernstein =
                report.path("intervals").path("clippedRatioIps").path("empiricalBernstein");
        assertThat(bernstein.get(1).asDouble()).isGreaterThan(0.1);
        assertThat(report.path("intervals").path("onPolicyMean").path("betting")).isNotEmpty();
        assertThat(report.path("intervals").path("selfNormalized").has("betting")).isFalse();
    }

    @Test
    void theLargestWeightFollowsFromLoggedDistributions() throws IOException {
        Path log =
                EvaluationLogs.lines(
                        dir.resolve("log.jsonl"),
                        200,
                        "\"context\":{\"dense\":[1]},\"action\":0,\"propensity\":0.5,"
                                + "\"distribution\":[0.5,0.4,0.1],\"reward\":1");
        JsonNode uniform = evaluate(log, "uniform");
        assertThat(uniform.path("largestPossibleWeight").asDouble())
                .isCloseTo(1.0 / 0.3, within(1e-9));
        assertThat(uniform.path("unsupportedShare").asDouble()).isZero();
        assertThat(uniform.path("intervals").path("ips").has("betting")).isTrue();

        JsonNode capped = evaluate(log, "uniform", "--tau", 0.5);
        assertThat(capped.path("intervals").path("ips").has("betting")).isFalse();
        assertThat(capped.path("intervals").path("clippedRatioIps").has("betting")).isTrue();
    }

    @Test
    void withoutDistributionsTheLargestWeightIsNotKnown() throws IOException {
        Path log =
                EvaluationLogs.lines(
                        dir.resolve("log.jsonl"),
                        200,
                        "\"context\":{\"dense\":[1]},\"action\":2,\"propensity\":0.5,\"reward\":1");
        JsonNode uniform = evaluate(log, "uniform");
        assertThat(uniform.path("largestPossibleWeight").isNull()).isTrue();
        assertThat(uniform.path("intervals").path("ips").has("betting")).isFalse();
        // The actions 0 and 1 are in no example.
        assertThat(uniform.path("unsupportedShare").asDouble()).isCloseTo(2.0 / 3.0, within(1e-9));
        assertThat(run(log, "uniform")).contains("weights may exceed 1/tau = 100");
    }

    private String run(Path log, String policy) {
        OfflineCommands fresh = new OfflineCommands();
        assertThat(fresh.run("evaluate", "--log", log, "--policy", policy))
                .as(fresh.err())
                .isZero();
        return fresh.out();
    }

    @Test
    void aSoundEvaluationHasNoWarnings() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 2_000, 0.3, 1, "");
        assertThat(evaluate(log, "uniform").path("warnings")).isEmpty();
    }

    @Test
    void warnsInWords() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("few.jsonl"), 2_000, 0.005, 1, "");
        assertThat(run(log, "uniform"))
                .contains("warning: the estimates rest on the equivalent of ")
                .contains("normal intervals are too narrow");

        Path estimated =
                EvaluationLogs.lines(
                        dir.resolve("estimated.jsonl"),
                        50,
                        "\"context\":{\"dense\":[1]},\"action\":1,\"propensity\":0.004,"
                                + "\"propensityKind\":\"estimated\",\"reward\":1");
        assertThat(run(estimated, "uniform"))
                .contains("warning: the mean weight is far above 1")
                .contains("50 propensities of 50 are estimates or bounds")
                .contains("50.0 % of the policy's probability is on actions that the log never")
                .contains("the effective sample size is only 50.00 of 50")
                .contains("100.0 % of the weights are above 1/tau = 100");
        assertThat(run(estimated, "first"))
                .contains("the mean weight is far below 1")
                .contains("the equivalent of no reward");
        assertThat(evaluate(estimated, "first").path("warnings")).hasSizeGreaterThan(3);
    }

    @Test
    void thePlotHasAPointPerEstimate() throws Exception {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 500, 0.3, 1, "");
        Path odd = Files.copy(log, dir.resolve("a<b&\"c\".jsonl"));
        Path plot = dir.resolve("values.svg");
        String field = odd + "#reward";

        assertThat(
                        commands.run(
                                "evaluate",
                                "--log",
                                log,
                                "--policy",
                                "uniform",
                                "--policy",
                                field,
                                "--by",
                                "user.country",
                                "--plot",
                                plot))
                .as(commands.err())
                .isZero();

        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        Document svg =
                factory.newDocumentBuilder()
                        .parse(new InputSource(new StringReader(Files.readString(plot))));
        assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
        // three parts; uniform has three estimates, the other no doubly robust one; and the legend
        assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(3 * 5 + 1);
        assertThat(svg.getDocumentElement().getTextContent())
                .contains("user.country = de")
                .contains("a<b&\"c\".jsonl#reward  selfNormalized");
        for (int i = 0; i < svg.getElementsByTagName("circle").getLength(); i++) {
            String x =
                    svg.getElementsByTagName("circle")
                            .item(i)
                            .getAttributes()
                            .getNamedItem("cx")
                            .getNodeValue();
            assertThat(Double.parseDouble(x)).isBetween(300.0, 900.0);
        }
    }

    @Test
    void refusesAPlotThatCannotBeWritten() throws IOException {
        Path log = EvaluationLogs.named(dir.resolve("log.jsonl"), 50, 0.3, 1, "");
        assertThat(refusal(log, dir.resolve("values.png"))).contains("--plot must be a file .svg");
        assertThat(refusal(log, dir.resolve("none/values.svg")))
                .contains("its directory does not exist");
    }

    private String refusal(Path log, Path plot) {
        OfflineCommands fresh = new OfflineCommands();
        assertThat(fresh.run("evaluate", "--log", log, "--policy", "uniform", "--plot", plot))
                .isEqualTo(2);
        return fresh.err();
    }
}
