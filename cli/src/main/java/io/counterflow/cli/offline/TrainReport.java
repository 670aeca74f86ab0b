package io.counterflow.cli.offline;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.evaluate.EvaluationFields;
import io.counterflow.core.estimate.Estimate;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.nio.file.Path;
import java.util.Optional;

/** The report of {@code train}. */
final class TrainReport {

    /** Explains a lower bound above 1, the largest possible value. */
    static final String IMPOSSIBLE =
            "a bound above 1 cannot hold: most likely the logged propensities are not those of the"
                    + " policy that chose the actions";

    private TrainReport() {}

    static Report of(
            Path out,
            PolicySnapshot snapshot,
            TrainedPolicy learned,
            Optional<EvaluationResult> validation) {
        EvaluationResult inSample = learned.inSample();
        Table table = Table.withColumns("value", "estimate", "standard error", "on");
        row(table, "logging policy", inSample.onPolicyMean(), "training log");
        rows(table, inSample, "training log");
        validation.ifPresent(held -> rows(table, held, "held out"));
        boolean bounded = !snapshot.training().propensitiesEstimated();
        boolean independent = learned.sample().isLoggedByOnePolicy();
        return new FieldReport()
                .line(
                        "%s on %s, prior %s, %s, objective %s",
                        learned.objective().name(),
                        Figures.count(inSample.n(), "example", "examples"),
                        learned.prior().description(),
                        Figures.count(learned.trained().steps(), "step", "steps"),
                        Figures.of(learned.trained().objective()))
                .table(table)
                .line(guarantee(learned, bounded))
                .line(
                        "written to %s: loop \"%s\", version %d",
                        out, snapshot.loop(), snapshot.version())
                .field("loop", snapshot.loop())
                .field("version", snapshot.version())
                .field("parentVersion", snapshot.parentVersion())
                .field("objective", learned.objective().name())
                .field("lambda", learned.objective().strength())
                .field("prior", learned.prior().description())
                .field("n", inSample.n())
                .field("skipped", learned.sample().skipped())
                .field("steps", learned.trained().steps())
                .field("objectiveValue", learned.trained().objective())
                .field("propensitiesEstimated", !bounded)
                .field("training", EvaluationFields.of(inSample, independent))
                .field("validation", validation.map(held -> EvaluationFields.of(held, independent)))
                .field("learnedFrom", learned.served().map(BoundReport::json))
                .field("out", out);
    }

    private static void rows(Table table, EvaluationResult result, String on) {
        row(table, "learned, truncated IPS", result.truncatedIps(), on);
        row(table, "learned, self-normalised", result.selfNormalized(), on);
    }

    private static void row(Table table, String name, Estimate estimate, String on) {
        table.row(name, estimate.value(), estimate.standardError(), on);
    }

    private static String guarantee(TrainedPolicy learned, boolean bounded) {
        if (!bounded) {
            return "propensities are estimated: no bound holds";
        }
        if (learned.served().isEmpty()) {
            return "no bound on its value: the prior was learned from this log, which needs --norm-bound";
        }
        double value = learned.served().get().value();
        if (value > 1.0) {
            return IMPOSSIBLE;
        }
        String confidence = Figures.setting(1.0 - learned.inSample().delta());
        return value > 0.0
                ? "learned from this log: with probability %s its value is at least %s"
                        .formatted(confidence, Figures.of(value))
                : "no bound above 0 on its value with probability %s: too few examples, or too far from the prior"
                        .formatted(confidence);
    }
}
