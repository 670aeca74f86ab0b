package io.counterflow.cli.offline;

import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.Estimate;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.Interval;
import io.counterflow.core.estimate.StratifiedEstimate;
import io.counterflow.core.estimate.Stratum;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a log says of a policy.
 *
 * @param lowerBound what the value is at least, with probability 1 − δ, by a confidence sequence
 * @param byLoggingPolicy IPS per logging policy, combined; present where several logged
 */
record EvaluateReport(
        String policy,
        LoadedLog log,
        EvaluationResult result,
        double lowerBound,
        Optional<StratifiedEstimate> byLoggingPolicy)
        implements Report {

    /** A mean weight this near to 1 is not worth a word. */
    private static final double WEIGHT_TOLERANCE = 0.1;

    private static final double WEIGHT_ERRORS = 5.0;

    @Override
    public String toText() {
        Table table =
                Table.withColumns("estimator", "value", "standard error", "interval", "at every n");
        estimates(result).forEach((name, estimate) -> row(table, name, estimate));
        byLoggingPolicy.ifPresent(
                stratified ->
                        table.row(
                                "stratifiedIps",
                                stratified.value(),
                                stratified.standardError(),
                                text(stratified.normalInterval(result.delta())),
                                null));
        String newLine = System.lineSeparator();
        return "%s on %s of loop \"%s\"%n%n"
                        .formatted(
                                policy,
                                Figures.count(result.n(), "example", "examples"),
                                log.loop())
                + table
                + newLine
                + Table.withColumns("importance weights", "")
                        .row("effective sample size", result.effectiveSampleSize())
                        .row("mean (should be 1)", result.meanWeight())
                        .row("largest", result.maxWeight())
                        .row("share with propensity below tau", result.clipRate())
                + newLine
                + ("intervals miss with probability %s: the normal ones when n is large,%n"
                                + "the empirical Bernstein ones at every n")
                        .formatted(Figures.setting(result.delta()))
                + newLine
                + "with probability %s the value is at least %s, unless the policy was learned from this log"
                        .formatted(Figures.setting(1.0 - result.delta()), Figures.of(lowerBound))
                + weightsNote().map(note -> newLine + note).orElse("")
                + (log.lacksPropensities() ? newLine + "propensities are estimated" : "");
    }

    /**
     * What an implausible mean weight means. If the propensities are right it is 1, up to a few
     * standard errors: m √((n/ESS − 1)/n), for ESS = (Σw)²/Σw².
     */
    private Optional<String> weightsNote() {
        double mean = result.meanWeight();
        double spread = Math.max(0.0, result.n() / result.effectiveSampleSize() - 1.0);
        double standardError = mean * Math.sqrt(spread / result.n());
        double off = mean - 1.0;
        if (off > Math.max(WEIGHT_TOLERANCE, WEIGHT_ERRORS * standardError)) {
            return Optional.of(
                    "the mean weight is far above 1: are the logged propensities those of the policy"
                            + " that chose?");
        }
        if (-off > Math.max(WEIGHT_TOLERANCE, WEIGHT_ERRORS * standardError)) {
            return Optional.of(
                    "the mean weight is far below 1: the policy seems to prefer actions that the log"
                            + " hardly has; then estimates are too low");
        }
        return Optional.empty();
    }

    private static void row(Table table, String name, Estimate estimate) {
        table.row(
                name,
                estimate.value(),
                estimate.standardError(),
                text(estimate.normalInterval()),
                estimate.empiricalBernsteinInterval().map(EvaluateReport::text).orElse(null));
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

    @Override
    public Object toJson() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("policy", policy);
        json.put("loop", log.loop());
        json.putAll(json(result));
        json.put("lowerBound", lowerBound);
        json.put("skipped", log.skipped());
        json.put("propensitiesEstimated", log.lacksPropensities());
        byLoggingPolicy.ifPresent(
                stratified -> {
                    json.put("stratifiedIps", stratified.value());
                    json.put("stratifiedIpsStandardError", stratified.standardError());
                    json.put("loggingPolicies", strata(stratified));
                });
        return json;
    }

    private static List<Map<String, Object>> strata(StratifiedEstimate stratified) {
        List<Map<String, Object>> strata = new ArrayList<>();
        for (Stratum stratum : stratified.strata()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("policyVersion", stratum.policyVersion());
            one.put("n", stratum.count());
            one.put("ips", stratum.mean());
            one.put("weight", stratum.weight());
            strata.add(one);
        }
        return strata;
    }

    /** The fields of an evaluation, flat as programs expect them. */
    static Map<String, Object> json(EvaluationResult result) {
        Map<String, Object> json = new LinkedHashMap<>();
        Map<String, Object> standardErrors = new LinkedHashMap<>();
        Map<String, Object> intervals = new LinkedHashMap<>();
        json.put("n", result.n());
        json.put("delta", result.delta());
        estimates(result)
                .forEach(
                        (name, estimate) -> {
                            json.put(name, estimate.value());
                            standardErrors.put(name, estimate.standardError());
                            intervals.put(name, intervals(estimate));
                        });
        json.put("standardErrors", standardErrors);
        json.put("intervals", intervals);
        json.put("effectiveSampleSize", result.effectiveSampleSize());
        json.put("meanWeight", result.meanWeight());
        json.put("clipRate", result.clipRate());
        json.put("ratioClipRate", result.ratioClipRate());
        json.put("maxWeight", result.maxWeight());
        return json;
    }

    private static Map<String, Object> intervals(Estimate estimate) {
        Map<String, Object> intervals = new LinkedHashMap<>();
        intervals.put("normal", pair(estimate.normalInterval()));
        estimate.empiricalBernsteinInterval()
                .ifPresent(interval -> intervals.put("empiricalBernstein", pair(interval)));
        return intervals;
    }

    private static double[] pair(Interval interval) {
        return new double[] {interval.lower(), interval.upper()};
    }
}
