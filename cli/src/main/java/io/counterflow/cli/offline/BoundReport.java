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
import io.counterflow.core.bound.ServedBound;
import io.counterflow.core.bound.ValueBound;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The report of {@code bound}: every bound on a policy's value, with its terms. */
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

    /**
     * @param judgedOn lower bound on the value if the policy was not learned from this log
     */
    static Report of(
            Path policy,
            LoadedLog log,
            PriorChoice prior,
            BoundSettings settings,
            PolicyBounds bounds,
            double judgedOn) {
        BoundReport to = new BoundReport();
        FieldReport report = to.report;
        boolean priorLearned = prior.learnedWith().isPresent();
        // The distance of a learned prior from its expectation needs a norm that is enforced.
        boolean priorKnown = !priorLearned || settings.normBound().isPresent();
        report.line(
                        "%s: bounds with probability %s",
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
        to.add("theorem1", "theorem 1", bounds.theorem1(), !settings.floorFromData() && priorKnown);
        to.add("theorem2", "theorem 2", bounds.theorem2(), priorKnown);
        to.add("theorem3", "theorem 3", bounds.theorem3(), !priorLearned);
        to.add("theorem4", "theorem 4", bounds.theorem4().orElse(null), priorKnown);
        bounds.served().ifPresent(served -> to.addServed("learned from this log", served.value()));
        to.addServed("judged on this log", judgedOn);
        report.field("learnedFrom", bounds.served().map(BoundReport::json))
                .field("judgedOnLowerBound", judgedOn);
        to.addTerms(bounds);
        report.line(
                "theorems: the mixed logit policy around the parameters, without an exploration floor");
        report.line("learned from, judged on: the policy as it is served");
        report.line("judged on: holds only if the policy was not learned from this log");
        if (settings.floorFromData()) {
            report.line("theorem 1 needs a tau that was fixed before the data; theorem 2 does not");
        }
        if (priorLearned) {
            report.line(
                    "theorem 3 needs a prior that was not learned from this log; theorem 4 does not");
        }
        if (!priorKnown) {
            report.line(
                    "a prior that was learned from this log needs --norm-bound, because a measured norm may be exceeded");
        }
        report.line(
                "a value is in [0, 1]: a bound below 0 on the value, or above 1 on the risk, says nothing");
        boolean impossible =
                judgedOn > 1.0 || bounds.served().map(ServedBound::value).orElse(0.0) > 1.0;
        return impossible ? report.line(TrainReport.IMPOSSIBLE) : report;
    }

    private void addServed(String label, double value) {
        table.row(label, value, 1.0 - value, null, null, null, "yes");
    }

    private void addTerms(PolicyBounds bounds) {
        report.section("theorems")
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
                .field("kl", "KL divergence", bounds.divergence())
                .field("klBound", GaussianKl.upperBound(bounds.gap()));
        bounds.served().ifPresent(this::addTerms);
    }

    private void addTerms(ServedBound served) {
        ValueBound bound = served.bound();
        report.section("learned from this log")
                .row("IPS after the handicap", served.handicapped())
                .row("then smoothed", bound.beforeDivergence())
                .row("less the KL divergence", bound.beforeConfidence())
                .row("less the confidence", served.value())
                .row("smoothing", bound.smoothing())
                .row("prior variance", served.priorVariance())
                .row("posterior variance", served.variance())
                .row("KL divergence", bound.divergence())
                .row("ln(combinations/delta)", bound.confidenceTerm());
    }

    /** The JSON fields of the bound on the served policy. */
    static Map<String, @Nullable Object> json(ServedBound served) {
        ValueBound bound = served.bound();
        return new FieldReport()
                .field("valueLowerBound", served.value())
                .field("smoothing", bound.smoothing())
                .field("priorVariance", served.priorVariance())
                .field("variance", served.variance())
                .field("handicappedIps", served.handicapped())
                .field("logSum", bound.logSum())
                .field("divergence", bound.divergence())
                .field("confidenceTerm", bound.confidenceTerm())
                .field("vacuous", bound.vacuous())
                .toJson();
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
}
