package io.counterflow.cli.offline;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.Estimate;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.Interval;
import io.counterflow.core.estimate.StratifiedEstimate;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The report of {@code evaluate}. */
final class EvaluateReport {

    /** A mean weight this close to 1 needs no comment. */
    private static final double WEIGHT_TOLERANCE = 0.1;

    private static final double WEIGHT_ERRORS = 5.0;

    private EvaluateReport() {}

    /**
     * @param judgedOn lower bound on the value, with probability 1 − δ, if the policy was not
     *     learned from this log
     * @param stratified IPS per logging policy, combined; present if several policies logged
     */
    static Report of(
            String policy,
            LoadedLog log,
            EvaluationResult result,
            double judgedOn,
            Optional<StratifiedEstimate> stratified) {
        Table table =
                Table.withColumns("estimator", "value", "standard error", "interval", "at every n");
        FieldReport report =
                new FieldReport()
                        .field("policy", policy)
                        .field("loop", log.loop())
                        .fields(fields(result, stratified.isEmpty()))
                        .field("judgedOnLowerBound", judgedOn)
                        .field("skipped", log.skipped())
                        .field("propensitiesEstimated", log.lacksPropensities())
                        .line(
                                "%s on %s of loop \"%s\"",
                                policy,
                                Figures.count(result.n(), "example", "examples"),
                                log.loop())
                        .table(table);
        estimates(result)
                .forEach(
                        (name, estimate) ->
                                table.row(
                                        name,
                                        estimate.value(),
                                        estimate.standardError(),
                                        text(estimate.normalInterval()),
                                        stratified.isPresent()
                                                ? null
                                                : estimate.empiricalBernsteinInterval()
                                                        .map(EvaluateReport::text)
                                                        .orElse(null)));
        stratified.ifPresent(
                estimate -> {
                    report.field("stratifiedIps", estimate.value())
                            .field("stratifiedIpsStandardError", estimate.standardError())
                            .field("loggingPolicies", strata(estimate));
                    table.row(
                            "stratifiedIps",
                            estimate.value(),
                            estimate.standardError(),
                            text(estimate.normalInterval(result.delta())),
                            null);
                });
        report.section("importance weights")
                .row("effective sample size", result.effectiveSampleSize())
                .row("mean (should be 1)", result.meanWeight())
                .row("largest", result.maxWeight())
                .row("share with propensity below tau", result.clipRate())
                .line(
                        stratified.isPresent()
                                ? "intervals miss with probability %s when n is large; no interval holds at every n,%n"
                                        + "because several policies logged and later ones may depend on earlier rewards"
                                : "intervals miss with probability %s: the normal ones when n is large,%n"
                                        + "the empirical Bernstein ones at every n",
                        Figures.setting(result.delta()))
                .line(
                        "judged on this log: with probability %s the value is at least %s at every n,%n"
                                + "unless the policy was learned from it",
                        Figures.setting(1.0 - result.delta()), Figures.of(judgedOn));
        weightsNote(result).ifPresent(report::line);
        return log.lacksPropensities() ? report.line("propensities are estimated") : report;
    }

    /**
     * Explains an implausible mean weight. If the propensities are right it is 1, up to a few
     * standard errors: m √((n/ESS − 1)/n), for ESS = (Σw)²/Σw².
     */
    private static Optional<String> weightsNote(EvaluationResult result) {
        double mean = result.meanWeight();
        double spread = Math.max(0.0, result.n() / result.effectiveSampleSize() - 1.0);
        double standardError = mean * Math.sqrt(spread / result.n());
        double tolerance = Math.max(WEIGHT_TOLERANCE, WEIGHT_ERRORS * standardError);
        if (mean - 1.0 > tolerance) {
            return Optional.of(
                    "the mean weight is far above 1: are the logged propensities those of the policy"
                            + " that chose the actions?");
        }
        return 1.0 - mean > tolerance
                ? Optional.of(
                        "the mean weight is far below 1: the policy prefers actions that are rare in"
                                + " the log, so the estimates are too low")
                : Optional.empty();
    }

    private static String text(Interval interval) {
        return "%s to %s".formatted(Figures.of(interval.lower()), Figures.of(interval.upper()));
    }

    private static Map<String, Estimate> estimates(EvaluationResult result) {
        Map<String, Estimate> estimates = new LinkedHashMap<>();
        estimates.put("ips", result.ips());
        estimates.put("truncatedIps", result.truncatedIps());
        estimates.put("selfNormalized", result.selfNormalized());
        estimates.put("clippedRatioIps", result.clippedRatioIps());
        estimates.put("logSmoothed", result.logSmoothed());
        result.doublyRobust().ifPresent(estimate -> estimates.put("doublyRobust", estimate));
        estimates.put("onPolicyMean", result.onPolicyMean());
        return estimates;
    }

    private static Object strata(StratifiedEstimate stratified) {
        return stratified.strata().stream()
                .map(
                        stratum ->
                                new FieldReport()
                                        .field("policyVersion", stratum.policyVersion())
                                        .field("n", stratum.count())
                                        .field("ips", stratum.mean())
                                        .field("weight", stratum.weight())
                                        .toJson())
                .toList();
    }

    /**
     * The JSON fields of an evaluation.
     *
     * @param independent whether one policy logged, which empirical Bernstein intervals need
     */
    static Map<String, @Nullable Object> fields(EvaluationResult result, boolean independent) {
        Map<String, Object> standardErrors = new LinkedHashMap<>();
        Map<String, Object> intervals = new LinkedHashMap<>();
        FieldReport fields =
                new FieldReport().field("n", result.n()).field("delta", result.delta());
        estimates(result)
                .forEach(
                        (name, estimate) -> {
                            fields.field(name, estimate.value());
                            standardErrors.put(name, estimate.standardError());
                            intervals.put(name, intervals(estimate, independent));
                        });
        return fields.field("standardErrors", standardErrors)
                .field("intervals", intervals)
                .field("effectiveSampleSize", result.effectiveSampleSize())
                .field("meanWeight", result.meanWeight())
                .field("clipRate", result.clipRate())
                .field("ratioClipRate", result.ratioClipRate())
                .field("maxWeight", result.maxWeight())
                .toJson();
    }

    private static Map<String, Object> intervals(Estimate estimate, boolean independent) {
        Map<String, Object> intervals = new LinkedHashMap<>();
        intervals.put("normal", pair(estimate.normalInterval()));
        if (independent) {
            estimate.empiricalBernsteinInterval()
                    .ifPresent(interval -> intervals.put("empiricalBernstein", pair(interval)));
        }
        return intervals;
    }

    private static double[] pair(Interval interval) {
        return new double[] {interval.lower(), interval.upper()};
    }
}
