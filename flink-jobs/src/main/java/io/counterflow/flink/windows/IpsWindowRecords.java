package io.counterflow.flink.windows;

import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import io.counterflow.schemas.wire.Optionals;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

/**
 * Converts windows to records. For each role, the policy that was scored last comes first. The
 * standard error of fewer than two examples is infinite.
 */
final class IpsWindowRecords {

    private IpsWindowRecords() {}

    /**
     * A record for each version that logged something in the window, lower versions first.
     *
     * @param startMs start of the window, inclusive
     * @param endMs its end, exclusive
     */
    static List<IpsWindowRecord> of(
            String loop, long startMs, long endMs, SortedMap<Long, VersionPane> versions) {
        List<IpsWindowRecord> records = new ArrayList<>();
        versions.forEach(
                (version, logged) -> {
                    IpsWindowRecord record = of(logged);
                    record.setLoop(loop);
                    record.setPolicyVersion(version);
                    record.setWindowStart(Instant.ofEpochMilli(startMs));
                    record.setWindowEnd(Instant.ofEpochMilli(endMs));
                    records.add(record);
                });
        return records;
    }

    private static IpsWindowRecord of(VersionPane logged) {
        IpsWindowRecord record = new IpsWindowRecord();
        record.setN(logged.rewards().count());
        boolean decided = logged.rewards().count() > 0;
        record.setOnPolicyMean(decided ? logged.rewards().value() : Double.NaN);
        record.setOnPolicyStandardError(
                decided ? logged.rewards().standardError() : Double.POSITIVE_INFINITY);
        record.setEstimates(new ArrayList<>());
        logged.targets()
                .forEach(
                        (role, targets) -> {
                            List<Target> latestFirst = new ArrayList<>(targets.inOrder());
                            Collections.reverse(latestFirst);
                            for (Target target : latestFirst) {
                                record.getEstimates()
                                        .add(estimate(role, target, logged.settings().delta()));
                            }
                        });
        record.setActionCounts(logged.actions().chosen().orElse(List.of()));
        record.setExpectedActionCounts(logged.actions().expected().orElse(List.of()));
        record.setAudited(logged.audited());
        record.setAuditMismatches(logged.auditMismatches());
        return record;
    }

    private static PolicyEstimateRecord estimate(
            JudgedPolicyRecord role, Target target, double delta) {
        EvaluationResult result = target.evaluation().result(delta);
        PolicyEstimateRecord record = new PolicyEstimateRecord();
        record.setPolicy(role);
        record.setVersion(role == JudgedPolicyRecord.UNIFORM ? null : target.version());
        record.setN(result.n());
        record.setIps(result.ips().value());
        record.setIpsStandardError(result.ips().standardError());
        record.setTruncatedIps(result.truncatedIps().value());
        record.setTruncatedIpsStandardError(result.truncatedIps().standardError());
        record.setSelfNormalized(result.selfNormalized().value());
        record.setSelfNormalizedStandardError(result.selfNormalized().standardError());
        record.setLogSmoothed(result.logSmoothed().value());
        record.setLogSmoothedStandardError(result.logSmoothed().standardError());
        record.setEffectiveSampleSize(result.effectiveSampleSize());
        record.setClipRate(result.clipRate());
        record.setMeanWeight(result.meanWeight());
        record.setMeanWeightLower(target.weights().lowerBound(delta));
        record.setMeanWeightUpper(Optionals.orNull(target.weights().upperBound(delta)));
        record.setMaxWeight(result.maxWeight());
        return record;
    }
}
