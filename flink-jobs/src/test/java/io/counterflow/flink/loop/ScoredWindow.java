package io.counterflow.flink.loop;

import io.counterflow.schemas.record.IpsWindowRecord;
import io.counterflow.schemas.record.JudgedPolicyRecord;
import io.counterflow.schemas.record.PolicyEstimateRecord;
import java.util.Optional;

/** A window with one example: how the job scores that example. */
record ScoredWindow(IpsWindowRecord window) {

    ScoredWindow {
        if (window.getN() != 1) {
            throw new IllegalArgumentException("n must be 1, got " + window.getN());
        }
    }

    String loop() {
        return window.getLoop();
    }

    /** Number of actions, including excluded ones. */
    int actions() {
        return window.getActionCounts().size();
    }

    int action() {
        return window.getActionCounts().indexOf(1L);
    }

    long activeVersion() {
        return estimate(JudgedPolicyRecord.ACTIVE).orElseThrow().getVersion();
    }

    /** π(a|x)/p of a policy; empty if it was not scored. */
    Optional<Double> weight(JudgedPolicyRecord policy) {
        return estimate(policy).map(PolicyEstimateRecord::getMeanWeight);
    }

    Optional<PolicyEstimateRecord> estimate(JudgedPolicyRecord policy) {
        return window.getEstimates().stream().filter(it -> it.getPolicy() == policy).findFirst();
    }

    /** The result of computing the propensity again. */
    String audit() {
        if (window.getAudited() == 0) {
            return "NOT_DONE";
        }
        return window.getAuditMismatches() == 0 ? "MATCH" : "MISMATCH";
    }
}
