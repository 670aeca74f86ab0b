package io.counterflow.cli.offline;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.bound.BoundSettings;
import io.counterflow.core.bound.GaussianKl;
import io.counterflow.core.bound.PolicyBounds;
import io.counterflow.core.bound.RiskBound;
import io.counterflow.core.bound.ValueBound;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Every bound on a policy's risk, with its parts. */
record BoundReport(
        Path policy, LoadedLog log, PriorChoice prior, BoundSettings settings, PolicyBounds bounds)
        implements Report {

    @Override
    public String toText() {
        Table table =
                Table.withColumns(
                        "bound",
                        "value at least",
                        "risk at most",
                        "= estimate",
                        "+ root",
                        "+ linear",
                        "applies");
        row(table, "theorem 1", bounds.theorem1(), !settings.floorFromData());
        row(table, "theorem 2", bounds.theorem2(), true);
        row(table, "theorem 3", bounds.theorem3(), !priorLearned());
        bounds.theorem4().ifPresent(bound -> row(table, "theorem 4", bound, true));
        row(table, "log-smoothed", bounds.logSmoothed());
        row(table, "log-smoothed, fixed policy", bounds.logSmoothedFixedPolicy());
        String newLine = System.lineSeparator();
        return "%s: risk of the mixed logit policy around it, with probability %s%n"
                        .formatted(policy, Figures.setting(1.0 - settings.delta()))
                + "prior: %s%n%n".formatted(prior.description())
                + table
                + newLine
                + parts()
                + newLine
                + String.join(newLine, notes());
    }

    private Table parts() {
        Table parts =
                Table.withColumns("parts", "")
                        .row("examples", bounds.examples())
                        .row("tau", bounds.propensityFloor())
                        .row("truncated IPS of the mean", bounds.truncatedIps())
                        .row("squared distance to the prior", bounds.gap().squaredDistance())
                        .row("parameters", bounds.gap().dimension())
                        .row("norm bound", bounds.gap().normBound())
                        .row("prior variance", bounds.gap().priorVariance())
                        .row("posterior variance", bounds.gap().variance())
                        .row("posterior variance, log-smoothed", bounds.logSmoothedVariance())
                        .row("KL divergence", bounds.divergence());
        if (bounds.softmaxShare() < 1.0) { // what the bounds above leave out
            parts.row("exploration floor", 1.0 - bounds.softmaxShare())
                    .row("value at least with the floor, paper", 1.0 - bounds.servedRisk())
                    .row("value at least with the floor, log-smoothed", bounds.servedValue());
        }
        return parts;
    }

    private List<String> notes() {
        List<String> notes = new ArrayList<>();
        if (settings.floorFromData()) {
            notes.add("theorem 1 needs a tau that was fixed before the data; theorem 2 does not");
        }
        if (priorLearned()) {
            notes.add(
                    "theorem 3 needs a prior that was not learned from this log; theorem 4 does not");
        }
        notes.add("fixed policy: holds only if the policy was not learned from this log");
        notes.add(
                "a value is in [0, 1]: a bound below 0 on the value, or above 1 on the risk, says nothing");
        if (bounds.logSmoothed().total() > 1.0 || bounds.logSmoothedFixedPolicy().total() > 1.0) {
            notes.add(TrainReport.IMPOSSIBLE);
        }
        return notes;
    }

    private boolean priorLearned() {
        return prior.learnedWith().isPresent();
    }

    private static void row(Table table, String name, RiskBound bound, boolean applies) {
        table.row(
                name,
                bound.valueLowerBound(),
                bound.total(),
                bound.empiricalRisk(),
                bound.squareRootTerm(),
                bound.linearTerm(),
                applies ? "yes" : "no");
    }

    private static void row(Table table, String name, ValueBound bound) {
        table.row(name, bound.total(), bound.riskUpperBound(), null, null, null, "yes");
    }

    @Override
    public Object toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("policy", policy);
        json.put("loop", log.loop());
        json.put("n", bounds.examples());
        json.put("skipped", log.skipped());
        json.put("delta", settings.delta());
        json.put("tau", bounds.propensityFloor());
        json.put("tauFromData", settings.floorFromData());
        json.put("prior", prior.description());
        json.put("priorLearned", priorLearned());
        json.put("truncatedIps", bounds.truncatedIps());
        json.put("theorem1", json(bounds.theorem1(), !settings.floorFromData()));
        json.put("theorem2", json(bounds.theorem2(), true));
        json.put("theorem3", json(bounds.theorem3(), !priorLearned()));
        json.put("theorem4", bounds.theorem4().map(bound -> json(bound, true)).orElse(null));
        json.put("logSmoothedPacBayes", json(bounds.logSmoothed()));
        json.put("logSmoothedFixedPolicy", json(bounds.logSmoothedFixedPolicy()));
        json.put("explorationFloor", 1.0 - bounds.softmaxShare());
        json.put("servedRiskBound", bounds.servedRisk());
        json.put("servedValueLowerBound", bounds.servedValue());
        json.put("kl", bounds.divergence());
        json.put("klBound", GaussianKl.upperBound(bounds.gap()));
        json.put("squaredDistance", bounds.gap().squaredDistance());
        json.put("dimension", bounds.gap().dimension());
        json.put("normBound", bounds.gap().normBound());
        json.put("priorVariance", bounds.gap().priorVariance());
        json.put("variance", bounds.gap().variance());
        json.put("logSmoothedVariance", bounds.logSmoothedVariance());
        return json;
    }

    private static Map<String, Object> json(RiskBound bound, boolean applies) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("riskBound", bound.total());
        json.put("valueLowerBound", bound.valueLowerBound());
        json.put("empiricalRisk", bound.empiricalRisk());
        json.put("squareRootTerm", bound.squareRootTerm());
        json.put("linearTerm", bound.linearTerm());
        json.put("divergence", bound.divergence());
        json.put("confidenceTerm", bound.confidenceTerm());
        json.put("vacuous", bound.vacuous());
        json.put("applies", applies);
        return json;
    }

    private static Map<String, Object> json(ValueBound bound) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("valueLowerBound", bound.total());
        json.put("riskBound", bound.riskUpperBound());
        json.put("smoothing", bound.smoothing());
        json.put("logSum", bound.logSum());
        json.put("divergence", bound.divergence());
        json.put("confidenceTerm", bound.confidenceTerm());
        json.put("vacuous", bound.vacuous());
        return json;
    }
}
