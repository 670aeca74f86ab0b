package io.counterflow.cli.offline;

import io.counterflow.cli.console.FieldReport;
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
import org.jspecify.annotations.Nullable;

/** The report of {@code bound}: every bound on a policy's risk, with its terms. */
final class BoundReport {

    private final FieldReport report = new FieldReport();
    private final Table table =
            Table.withColumns(
                    "bound",
                    "value at least",
                    "risk at most",
                    "= estimate",
                    "+ root",
                    "+ linear",
                    "applies");

    static Report of(
            Path policy,
            LoadedLog log,
            PriorChoice prior,
            BoundSettings settings,
            PolicyBounds bounds) {
        BoundReport to = new BoundReport();
        FieldReport report = to.report;
        boolean priorLearned = prior.learnedWith().isPresent();
        report.line(
                        "%s: risk of the mixed logit policy around it, with probability %s",
                        policy, Figures.setting(1.0 - settings.delta()))
                .line("prior: %s", prior.description())
                .table(to.table)
                .field("policy", policy)
                .field("loop", log.loop())
                .field("skipped", log.skipped())
                .field("delta", settings.delta())
                .field("tauFromData", settings.floorFromData())
                .field("prior", prior.description())
                .field("priorLearned", priorLearned);
        to.add("theorem1", "theorem 1", bounds.theorem1(), !settings.floorFromData());
        to.add("theorem2", "theorem 2", bounds.theorem2(), true);
        to.add("theorem3", "theorem 3", bounds.theorem3(), !priorLearned);
        to.add("theorem4", "theorem 4", bounds.theorem4().orElse(null), true);
        to.add("logSmoothedPacBayes", "log-smoothed", bounds.logSmoothed());
        to.add(
                "logSmoothedFixedPolicy",
                "log-smoothed, fixed policy",
                bounds.logSmoothedFixedPolicy());
        to.addTerms(bounds);
        if (settings.floorFromData()) {
            report.line("theorem 1 needs a tau that was fixed before the data; theorem 2 does not");
        }
        if (priorLearned) {
            report.line(
                    "theorem 3 needs a prior that was not learned from this log; theorem 4 does not");
        }
        report.line("fixed policy: holds only if the policy was not learned from this log")
                .line(
                        "a value is in [0, 1]: a bound below 0 on the value, or above 1 on the risk, says nothing");
        boolean impossible =
                bounds.logSmoothed().total() > 1.0 || bounds.logSmoothedFixedPolicy().total() > 1.0;
        return impossible ? report.line(TrainReport.IMPOSSIBLE) : report;
    }

    private void addTerms(PolicyBounds bounds) {
        report.section("parts")
                .field("n", "examples", bounds.examples())
                .field("tau", "tau", bounds.propensityFloor())
                .field("truncatedIps", "truncated IPS of the mean", bounds.truncatedIps())
                .field(
                        "squaredDistance",
                        "squared distance to the prior",
                        bounds.gap().squaredDistance())
                .field("dimension", "parameters", bounds.gap().dimension())
                .field("normBound", "norm bound", bounds.gap().normBound())
                .field("priorVariance", "prior variance", bounds.gap().priorVariance())
                .field("variance", "posterior variance", bounds.gap().variance())
                .field(
                        "logSmoothedVariance",
                        "posterior variance, log-smoothed",
                        bounds.logSmoothedVariance())
                .field("kl", "KL divergence", bounds.divergence())
                .field("klBound", GaussianKl.upperBound(bounds.gap()))
                .field("explorationFloor", 1.0 - bounds.softmaxShare())
                .field("servedRiskBound", bounds.servedRisk())
                .field("servedValueLowerBound", bounds.servedValue());
        if (bounds.softmaxShare() < 1.0) { // the bounds above are about the softmax alone
            report.row("exploration floor", 1.0 - bounds.softmaxShare())
                    .row("value at least with the floor, paper", 1.0 - bounds.servedRisk())
                    .row("value at least with the floor, log-smoothed", bounds.servedValue());
        }
    }

    private void add(String name, String label, @Nullable RiskBound bound, boolean applies) {
        if (bound == null) {
            report.field(name, null);
            return;
        }
        table.row(
                label,
                bound.valueLowerBound(),
                bound.total(),
                bound.empiricalRisk(),
                bound.squareRootTerm(),
                bound.linearTerm(),
                applies ? "yes" : "no");
        report.field(
                name,
                new FieldReport()
                        .field("riskBound", bound.total())
                        .field("valueLowerBound", bound.valueLowerBound())
                        .field("empiricalRisk", bound.empiricalRisk())
                        .field("squareRootTerm", bound.squareRootTerm())
                        .field("linearTerm", bound.linearTerm())
                        .field("divergence", bound.divergence())
                        .field("confidenceTerm", bound.confidenceTerm())
                        .field("vacuous", bound.vacuous())
                        .field("applies", applies)
                        .toJson());
    }

    private void add(String name, String label, ValueBound bound) {
        table.row(label, bound.total(), bound.riskUpperBound(), null, null, null, "yes");
        report.field(
                name,
                new FieldReport()
                        .field("valueLowerBound", bound.total())
                        .field("riskBound", bound.riskUpperBound())
                        .field("smoothing", bound.smoothing())
                        .field("logSum", bound.logSum())
                        .field("divergence", bound.divergence())
                        .field("confidenceTerm", bound.confidenceTerm())
                        .field("vacuous", bound.vacuous())
                        .toJson());
    }
}
