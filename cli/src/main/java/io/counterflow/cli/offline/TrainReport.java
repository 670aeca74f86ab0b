package io.counterflow.cli.offline;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.core.estimate.Estimate;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What {@code train} learned, and what the log says of it. */
record TrainReport(
        Path out,
        PolicySnapshot snapshot,
        TrainedPolicy learned,
        Optional<EvaluationResult> validation)
        implements Report {

    /** What to make of a bound that promises more than the largest value there is. */
    static final String IMPOSSIBLE =
            "a bound above 1 cannot hold: most likely the logged propensities are not those of the"
                    + " policy that chose the actions";

    @Override
    public String toText() {
        EvaluationResult inSample = learned.inSample();
        Table table = Table.withColumns("value", "estimate", "standard error", "on");
        row(table, "logging policy", inSample.onPolicyMean(), "training log");
        rows(table, inSample, "training log");
        validation.ifPresent(held -> rows(table, held, "held out"));
        String newLine = System.lineSeparator();
        return "%s on %s, prior %s, %s, objective %s%n%n"
                        .formatted(
                                learned.objective().name(),
                                Figures.count(inSample.n(), "example", "examples"),
                                learned.prior().description(),
                                Figures.count(learned.trained().steps(), "step", "steps"),
                                Figures.of(learned.trained().objective()))
                + table
                + newLine
                + guarantee()
                + newLine
                + "written to %s: loop \"%s\", version %d"
                        .formatted(out, snapshot.loop(), snapshot.version());
    }

    private static void rows(Table table, EvaluationResult result, String on) {
        row(table, "learned, truncated IPS", result.truncatedIps(), on);
        row(table, "learned, self-normalised", result.selfNormalized(), on);
    }

    private static void row(Table table, String name, Estimate estimate, String on) {
        table.row(name, estimate.value(), estimate.standardError(), on);
    }

    private String guarantee() {
        if (snapshot.training().propensitiesEstimated()) {
            return "propensities are estimated: no bound holds";
        }
        double smoothed = learned.bounds().servedValue();
        double papers = 1.0 - learned.bounds().servedRisk();
        if (smoothed > 1.0 || papers > 1.0) {
            return IMPOSSIBLE;
        }
        String sure = Figures.setting(1.0 - learned.inSample().delta());
        return smoothed > 0.0 || papers > 0.0
                ? "with probability %s its value is at least %s (log-smoothed bound; the paper's: %s)"
                        .formatted(
                                sure,
                                Figures.of(Math.max(0.0, smoothed)),
                                Figures.of(Math.max(0.0, papers)))
                : "no bound above 0 on its value with probability %s: too few examples, or too far from the prior"
                        .formatted(sure);
    }

    @Override
    public Object toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("loop", snapshot.loop());
        json.put("version", snapshot.version());
        json.put(
                "parentVersion",
                snapshot.parentVersion().isPresent() ? snapshot.parentVersion().getAsLong() : null);
        json.put("objective", learned.objective().name());
        json.put("lambda", learned.objective().strength());
        json.put("prior", learned.prior().description());
        json.put("n", learned.inSample().n());
        json.put("skipped", learned.sample().skipped());
        json.put("steps", learned.trained().steps());
        json.put("objectiveValue", learned.trained().objective());
        json.put("propensitiesEstimated", snapshot.training().propensitiesEstimated());
        json.put("training", EvaluateReport.json(learned.inSample()));
        json.put("validation", validation.map(EvaluateReport::json).orElse(null));
        boolean bounded = !snapshot.training().propensitiesEstimated();
        json.put("riskBound", bounded ? learned.bounds().servedRisk() : null);
        json.put("logSmoothedLowerBound", bounded ? learned.bounds().servedValue() : null);
        json.put("out", out);
        return json;
    }
}
