package io.counterflow.cli;

import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.learn.Objective;
import io.counterflow.core.learn.PolicyTrainer;
import io.counterflow.schemas.PolicySnapshot;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What {@code train} learned, and what the log says of it. */
record TrainReport(
        Path out,
        PolicySnapshot snapshot,
        PriorChoice prior,
        Objective objective,
        PolicyTrainer.Trained trained,
        long skipped,
        EvaluationResult inSample,
        Optional<EvaluationResult> validation,
        PolicyBounds bounds)
        implements Report {

    @Override
    public String toText() {
        Table table =
                Table.withColumns("value", "estimate", "standard error", "on")
                        .row(
                                "logging policy",
                                inSample.onPolicyMean().value(),
                                inSample.onPolicyMean().standardError(),
                                "training log")
                        .row(
                                "learned, truncated IPS",
                                inSample.truncatedIps().value(),
                                inSample.truncatedIps().standardError(),
                                "training log")
                        .row(
                                "learned, self-normalised",
                                inSample.selfNormalized().value(),
                                inSample.selfNormalized().standardError(),
                                "training log");
        validation.ifPresent(
                held ->
                        table.row(
                                        "learned, truncated IPS",
                                        held.truncatedIps().value(),
                                        held.truncatedIps().standardError(),
                                        "held out")
                                .row(
                                        "learned, self-normalised",
                                        held.selfNormalized().value(),
                                        held.selfNormalized().standardError(),
                                        "held out"));
        String newLine = System.lineSeparator();
        return "%s on %s examples, prior %s, %s steps, objective %s%n%n"
                        .formatted(
                                objective.name(),
                                Figures.count(inSample.n()),
                                prior.description(),
                                Figures.count(trained.steps()),
                                Figures.of(trained.objective()))
                + table
                + newLine
                + guarantee()
                + newLine
                + "written to %s: loop \"%s\", version %d"
                        .formatted(out, snapshot.loop(), snapshot.version());
    }

    private String guarantee() {
        if (snapshot.training().propensitiesEstimated()) {
            return "propensities are estimated: no bound holds";
        }
        return "with probability %s its value is at least %s (log-smoothed bound; the paper's: %s)"
                .formatted(
                        Figures.of(1.0 - inSample.delta()),
                        Figures.of(Math.max(0.0, bounds.logSmoothed().total())),
                        Figures.of(Math.max(0.0, bounds.paperBound().valueLowerBound())));
    }

    @Override
    public Object toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("loop", snapshot.loop());
        json.put("version", snapshot.version());
        json.put(
                "parentVersion",
                snapshot.parentVersion().isPresent() ? snapshot.parentVersion().getAsLong() : null);
        json.put("objective", objective.name());
        json.put("lambda", objective.strength());
        json.put("prior", prior.description());
        json.put("n", inSample.n());
        json.put("skipped", skipped);
        json.put("steps", trained.steps());
        json.put("objectiveValue", trained.objective());
        json.put("propensitiesEstimated", snapshot.training().propensitiesEstimated());
        json.put("training", EvaluateReport.json(inSample));
        json.put("validation", validation.map(EvaluateReport::json).orElse(null));
        boolean bounded = !snapshot.training().propensitiesEstimated();
        json.put("riskBound", bounded ? bounds.paperBound().total() : null);
        json.put("logSmoothedLowerBound", bounded ? bounds.logSmoothed().total() : null);
        json.put("out", out);
        return json;
    }
}
