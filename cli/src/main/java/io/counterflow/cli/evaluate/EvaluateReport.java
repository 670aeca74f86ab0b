package io.counterflow.cli.evaluate;

import io.counterflow.cli.console.FieldReport;
import io.counterflow.cli.console.Figures;
import io.counterflow.cli.console.Report;
import io.counterflow.cli.console.Table;
import io.counterflow.cli.log.LoadedLog;
import io.counterflow.core.estimate.Estimate;
import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.estimate.Interval;
import io.counterflow.core.estimate.StratifiedEstimate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The report of {@code evaluate}. */
final class EvaluateReport {

    /** What the text shows of each policy, if there are several or segments. */
    private static final List<String> COMPARED =
            List.of(
                    EvaluationFields.CLIPPED_RATIO_IPS,
                    EvaluationFields.SELF_NORMALIZED,
                    EvaluationFields.DOUBLY_ROBUST);

    private final LoadedLog log;
    private final EvaluationSettings settings;
    private final long notExact;
    private final boolean onePolicyLogged;
    private final List<List<PolicyResult>> parts; // the whole log, then the segments
    private final Optional<Segments.Division> division;
    private final Map<String, String> shownNames = new HashMap<>(); // in tables, by policy

    /**
     * @param notExact number of propensities that are estimates or bounds
     * @param parts the results of all policies on the whole log, and then on each segment
     */
    EvaluateReport(
            LoadedLog log,
            EvaluationSettings settings,
            long notExact,
            List<List<PolicyResult>> parts,
            Optional<Segments.Division> division) {
        this.log = log;
        this.settings = settings;
        this.notExact = notExact;
        this.onePolicyLogged = log.isLoggedByOnePolicy();
        this.parts = parts;
        this.division = division;
        addShownNames();
    }

    /** Tables have the names of files without their directories, unless two are the same. */
    private void addShownNames() {
        Map<String, Integer> counts = new HashMap<>();
        for (PolicyResult policy : parts.get(0)) {
            counts.merge(fileName(policy.policy()), 1, Integer::sum);
        }
        for (PolicyResult policy : parts.get(0)) {
            String file = fileName(policy.policy());
            boolean unique = counts.getOrDefault(file, 0) == 1;
            shownNames.put(policy.policy(), unique ? file : policy.policy());
        }
    }

    /** Values come from a log, and must not control the terminal. */
    private static String printable(String value) {
        return value.replaceAll("\\p{Cntrl}", "?");
    }

    private static String fileName(String policy) {
        return policy.substring(policy.lastIndexOf('/') + 1);
    }

    private String shown(PolicyResult policy) {
        return shownNames.getOrDefault(policy.policy(), policy.policy());
    }

    Report report() {
        List<PolicyResult> all = parts.get(0);
        FieldReport report = new FieldReport();
        if (all.size() == 1) {
            addOne(report, all.get(0));
        } else {
            addSeveral(report, all);
        }
        division.ifPresent(it -> addSegments(report, it));
        return report;
    }

    // One policy.

    private void addOne(FieldReport report, PolicyResult policy) {
        EvaluationResult result = policy.result();
        Table table =
                Table.withColumns(
                        "estimator",
                        "value",
                        "standard error",
                        "normal interval",
                        "guaranteed interval");
        report.fields(json(policy, true))
                .line(
                        "%s on %s of loop \"%s\"",
                        policy.policy(),
                        Figures.count(result.n(), "example", "examples"),
                        log.loop())
                .table(table);
        EvaluationFields.estimates(result)
                .forEach(
                        (name, estimate) ->
                                table.row(
                                        name,
                                        estimate.value(),
                                        estimate.standardError(),
                                        text(estimate.normalInterval()),
                                        text(policy.betting().get(name))));
        if (!onePolicyLogged) {
            StratifiedEstimate stratified = policy.stratified();
            table.row(
                    "stratifiedIps",
                    stratified.value(),
                    stratified.standardError(),
                    text(stratified.normalInterval(settings.delta())),
                    null);
        }
        report.section("importance weights")
                .row("effective sample size", result.effectiveSampleSize())
                .row("mean (should be 1)", result.meanWeight())
                .row("largest", result.maxWeight())
                .row("largest possible", policy.largestWeight())
                .row("share with propensity below tau", result.clipRate());
        addIntervals(report, List.of(policy));
        report.line(
                "judged on this log: with probability %s the value is at least %s at every n,%n"
                        + "unless the policy was learned from it",
                Figures.setting(1.0 - result.delta()), Figures.of(policy.judgedOn()));
        warnings(policy).forEach(warning -> report.line("warning: %s", warning));
    }

    /** What the intervals promise. */
    private void addIntervals(FieldReport report, List<PolicyResult> policies) {
        report.line(
                "an interval misses with probability %s: a normal one if there are many rewards, a%n"
                        + "guaranteed one always, if propensities are exact and values do not change",
                Figures.setting(settings.delta()));
        boolean bounded =
                policies.stream()
                        .allMatch(
                                it ->
                                        it.largestWeight().isPresent()
                                                && it.largestWeight().getAsDouble()
                                                        <= 1.0 / settings.tau());
        if (!bounded) {
            report.line(
                    "weights may exceed 1/tau = %s: the upper end of a guaranteed interval is that of the%n"
                            + "clipped or truncated value, which is at most the value",
                    Figures.setting(1.0 / settings.tau()));
        }
        if (!onePolicyLogged) {
            report.line(
                    "several policies logged, and later ones may depend on earlier rewards, which normal%n"
                            + "intervals do not allow for");
        }
    }

    // Several policies, side by side.

    private void addSeveral(FieldReport report, List<PolicyResult> policies) {
        EvaluationResult first = policies.get(0).result();
        report.field("loop", log.loop())
                .field("n", first.n())
                .field("delta", first.delta())
                .field("skipped", log.skipped())
                .field("propensitiesEstimated", notExact > 0)
                .field("policies", policies.stream().map(it -> json(it, false)).toList())
                .line(
                        "%s on %s of loop \"%s\"",
                        Figures.count(policies.size(), "policy", "policies"),
                        Figures.count(first.n(), "example", "examples"),
                        log.loop())
                .table(compared(policies));
        Table weights =
                Table.withColumns(
                        "importance weights of",
                        "effective sample size",
                        "mean",
                        "largest",
                        "possible",
                        "value at least");
        for (PolicyResult policy : policies) {
            EvaluationResult result = policy.result();
            weights.row(
                    shown(policy),
                    result.effectiveSampleSize(),
                    result.meanWeight(),
                    result.maxWeight(),
                    policy.largestWeight().isPresent()
                            ? (Double) policy.largestWeight().getAsDouble()
                            : null,
                    policy.judgedOn());
        }
        report.table(weights);
        addIntervals(report, policies);
        report.line(
                "value at least: with probability %s at every n, unless the policy was learned from this log",
                Figures.setting(1.0 - settings.delta()));
        for (PolicyResult policy : policies) {
            warnings(policy)
                    .forEach(warning -> report.line("warning: %s: %s", shown(policy), warning));
        }
    }

    /** The estimates of policies in rows, and the mean of the logged rewards. */
    private Table compared(List<PolicyResult> policies) {
        Table table =
                Table.withColumns(
                        "policy", "estimator", "value", "normal interval", "guaranteed interval");
        for (PolicyResult policy : policies) {
            Map<String, Estimate> estimates = EvaluationFields.estimates(policy.result());
            for (String name : COMPARED) {
                Estimate estimate = estimates.get(name);
                if (estimate != null) {
                    addRow(table, shown(policy), name, estimate, policy);
                }
            }
        }
        PolicyResult first = policies.get(0);
        addRow(
                table,
                "(logged)",
                EvaluationFields.ON_POLICY_MEAN,
                first.result().onPolicyMean(),
                first);
        return table;
    }

    private static void addRow(
            Table table, String policy, String name, Estimate estimate, PolicyResult result) {
        table.row(
                policy,
                name,
                estimate.value(),
                text(estimate.normalInterval()),
                text(result.betting().get(name)));
    }

    // Segments.

    private void addSegments(FieldReport report, Segments.Division by) {
        List<Object> segments = new ArrayList<>();
        for (int k = 0; k < by.parts().size(); k++) {
            Segments.Segment segment = by.parts().get(k);
            List<PolicyResult> policies = parts.get(k + 1);
            boolean combined = by.combined() > 0 && k == by.parts().size() - 1;
            segments.add(
                    new FieldReport()
                            .field("segment", segment.name())
                            .field("n", segment.n())
                            .field("combinedValues", combined ? by.combined() : 1)
                            .field(
                                    "policies",
                                    policies.stream().map(it -> json(it, false)).toList())
                            .toJson());
            if (k == 0) {
                report.line(""); // a table is followed by an empty line anyway
            }
            report.line(
                            "%s = %s: %s",
                            by.by(),
                            printable(segment.name()),
                            Figures.count(segment.n(), "example", "examples")
                                    + (combined
                                            ? ", "
                                                    + Figures.count(
                                                            by.combined(),
                                                            "value",
                                                            "values together")
                                            : ""))
                    .table(compared(policies));
        }
        report.field("by", by.by())
                .field("segments", segments)
                .line(
                        "each interval misses with probability %s on its own: of many, some miss",
                        Figures.setting(settings.delta()));
    }

    private Map<String, @Nullable Object> json(PolicyResult policy, boolean whole) {
        return new EvaluationJson(log, notExact, onePolicyLogged)
                .of(policy, warnings(policy), whole);
    }

    private List<String> warnings(PolicyResult policy) {
        return EvaluationWarnings.of(policy, settings, notExact);
    }

    private static @Nullable String text(@Nullable Interval interval) {
        return interval == null
                ? null
                : "%s to %s".formatted(Figures.of(interval.lower()), Figures.of(interval.upper()));
    }
}
