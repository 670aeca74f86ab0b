package io.counterflow.flink.windows;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.jspecify.annotations.Nullable;

/**
 * Gauges of the newest window of one loop. Number and mean reward are those of all decisions.
 * Estimates are from the version that logged the most examples, or the newer one of two with equal
 * numbers. Unknown values are NaN.
 */
final class LoopGauges {

    private static final List<JudgedPolicyRecord> ROLES =
            List.of(
                    JudgedPolicyRecord.ACTIVE,
                    JudgedPolicyRecord.CANDIDATE,
                    JudgedPolicyRecord.UNIFORM);

    private static final Comparator<IpsWindowRecord> BY_LOGGED =
            Comparator.comparingLong(LoopGauges::logged)
                    .thenComparingLong(IpsWindowRecord::getPolicyVersion);

    private volatile @Nullable IpsWindowRecord newest; // written by the task, read by reporters
    private volatile double examples = Double.NaN; // of all versions
    private volatile double onPolicyMean = Double.NaN;
    private volatile long auditMismatches;

    LoopGauges(MetricGroup group) {
        Gauge<Double> decisions = () -> examples;
        group.gauge("examples", decisions);
        Gauge<Double> mean = () -> onPolicyMean;
        group.gauge("on_policy_mean", mean);
        gauge(group, "changes_found", IpsWindowRecord::getChangesFound);
        Gauge<Long> mismatches = () -> auditMismatches;
        group.gauge("audit_mismatches", mismatches);
        for (JudgedPolicyRecord role : ROLES) {
            MetricGroup policy = group.addGroup("policy", role.name().toLowerCase(Locale.ROOT));
            policyGauge(policy, role, "ips", PolicyEstimateRecord::getIps);
            policyGauge(policy, role, "truncated_ips", PolicyEstimateRecord::getTruncatedIps);
            policyGauge(
                    policy,
                    role,
                    "effective_sample_size",
                    PolicyEstimateRecord::getEffectiveSampleSize);
            policyGauge(policy, role, "clip_rate", PolicyEstimateRecord::getClipRate);
            policyGauge(policy, role, "max_weight", PolicyEstimateRecord::getMaxWeight);
            policyGauge(policy, role, "mean_weight", PolicyEstimateRecord::getMeanWeight);
            policyGauge(
                    policy, role, "mean_weight_lower", PolicyEstimateRecord::getMeanWeightLower);
            policyGauge(
                    policy, role, "mean_weight_upper", PolicyEstimateRecord::getMeanWeightUpper);
        }
    }

    /** The number of examples that a version logged; a candidate that decided some logged none. */
    private static long logged(IpsWindowRecord version) {
        return version.getEstimates().stream()
                .mapToLong(PolicyEstimateRecord::getN)
                .max()
                .orElse(0);
    }

    private void gauge(MetricGroup group, String name, ToDoubleFunction<IpsWindowRecord> value) {
        Gauge<Double> gauge =
                () -> {
                    IpsWindowRecord window = newest;
                    return window == null ? Double.NaN : value.applyAsDouble(window);
                };
        group.gauge(name, gauge);
    }

    private void policyGauge(
            MetricGroup group,
            JudgedPolicyRecord role,
            String name,
            Function<PolicyEstimateRecord, @Nullable Double> value) {
        gauge(
                group,
                name,
                window -> {
                    for (PolicyEstimateRecord estimate : window.getEstimates()) {
                        if (estimate.getPolicy() == role) { // the first one was scored last
                            Double known = value.apply(estimate);
                            return known == null ? Double.NaN : known;
                        }
                    }
                    return Double.NaN;
                });
    }

    /** Called when a window ends, with a record for each version that logged or decided events. */
    void ended(List<IpsWindowRecord> versions) {
        newest = versions.stream().max(BY_LOGGED).orElseThrow();
        double rewards = 0.0;
        long decided = 0;
        for (IpsWindowRecord version : versions) {
            if (version.getN() > 0) {
                rewards += version.getN() * version.getOnPolicyMean();
                decided += version.getN();
            }
        }
        examples = decided;
        onPolicyMean = rewards / decided;
        auditMismatches = versions.stream().mapToLong(IpsWindowRecord::getAuditMismatches).sum();
    }
}
