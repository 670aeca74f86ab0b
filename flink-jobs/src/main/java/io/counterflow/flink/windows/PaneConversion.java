package io.counterflow.flink.windows;

import io.counterflow.core.confidence.MeanWeightBounds;
import io.counterflow.core.estimate.EvaluationState;
import io.counterflow.core.estimate.OnPolicyMean;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.flink.event.ScoredExample.EstimateSettings;
import io.counterflow.flink.state.LoopStateConversion;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.TargetStateRecord;
import io.counterflow.schemas.record.VersionPaneRecord;
import io.counterflow.schemas.record.WindowPaneRecord;
import io.counterflow.schemas.wire.PackedNumbers;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** Converts panes to records and back without rounding. */
final class PaneConversion {

    private PaneConversion() {}

    static WindowPaneRecord toRecord(Pane pane) {
        WindowPaneRecord record = new WindowPaneRecord();
        record.setVersions(new ArrayList<>());
        pane.versions()
                .forEach((version, logged) -> record.getVersions().add(toRecord(version, logged)));
        return record;
    }

    private static VersionPaneRecord toRecord(long version, VersionPane pane) {
        VersionPaneRecord record = new VersionPaneRecord();
        record.setPolicyVersion(version);
        record.setRewardSums(PackedNumbers.pack(pane.rewards().sums()));
        record.setPropensityFloor(pane.settings().propensityFloor());
        record.setSmoothing(pane.settings().smoothing());
        record.setDelta(pane.settings().delta());
        record.setExplorationFloor(pane.settings().explorationFloor());
        record.setTargets(new ArrayList<>());
        pane.targets()
                .forEach(
                        (role, targets) -> {
                            for (Target target : targets.inOrder()) {
                                record.getTargets().add(toRecord(role, target));
                            }
                        });
        record.setActionCounts(pane.actions().chosen().orElse(null));
        record.setExpectedActionCounts(pane.actions().expected().orElse(null));
        record.setAudited(pane.audited());
        record.setAuditMismatches(pane.auditMismatches());
        return record;
    }

    private static TargetStateRecord toRecord(JudgedPolicyRecord role, Target target) {
        TargetStateRecord record = new TargetStateRecord();
        record.setPolicy(role);
        record.setVersion(role == JudgedPolicyRecord.UNIFORM ? null : target.version());
        record.setSums(PackedNumbers.pack(target.evaluation().state().sums()));
        record.setMeanWeight(LoopStateConversion.toRecord(target.weights().state()));
        return record;
    }

    static Pane toPane(WindowPaneRecord record) {
        NavigableMap<Long, VersionPane> versions = new TreeMap<>();
        for (VersionPaneRecord version : record.getVersions()) {
            versions.put(version.getPolicyVersion(), toVersionPane(version));
        }
        return Pane.restore(versions);
    }

    private static VersionPane toVersionPane(VersionPaneRecord record) {
        EstimateSettings settings =
                new EstimateSettings(
                        record.getPropensityFloor(),
                        record.getSmoothing(),
                        record.getDelta(),
                        record.getExplorationFloor());
        List<Long> chosen = record.getActionCounts(); // null if they are not counted
        List<Double> expected = record.getExpectedActionCounts(); // null if they are not known
        VersionPane pane =
                new VersionPane(
                        settings,
                        OnPolicyMean.restore(
                                PackedNumbers.numbers("rewardSums", record.getRewardSums())),
                        ActionCounts.restore(
                                Optional.ofNullable(chosen), Optional.ofNullable(expected)),
                        record.getAudited(),
                        record.getAuditMismatches());
        for (TargetStateRecord target : record.getTargets()) {
            pane.targets(target.getPolicy()).restore(toTarget(target, settings));
        }
        return pane;
    }

    private static Target toTarget(TargetStateRecord record, EstimateSettings settings) {
        Long version = record.getVersion(); // null for the uniform policy
        return new Target(
                version == null ? VersionPane.NO_VERSION : version,
                PolicyEvaluation.restore(
                        new EvaluationState(
                                settings.propensityFloor(),
                                settings.smoothing(),
                                PackedNumbers.numbers("sums", record.getSums()))),
                MeanWeightBounds.restore(LoopStateConversion.fromRecord(record.getMeanWeight())));
    }
}
