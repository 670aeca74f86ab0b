package io.counterflow.flink.loop;

import io.counterflow.core.estimate.EvaluationResult;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.CandidateCertificate;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.schemas.LoopSpec;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** From candidates to the snapshots that are published. */
final class Snapshots {

    private Snapshots() {}

    /** The snapshot of a candidate that was frozen under a spec. */
    static PolicySnapshotRecord of(Candidate candidate, LoopSpec spec, Instant frozenAt) {
        Training training =
                new Training(
                        spec.learning().objective().kind().label(),
                        OptionalDouble.of(spec.learning().objective().lambda()),
                        OptionalDouble.of(spec.learning().objective().tau()),
                        candidate.examples(),
                        false,
                        spec.digest(),
                        spec.version());
        return SnapshotConversion.toRecord(
                new PolicySnapshot(
                        spec.loop(),
                        candidate.version(),
                        OptionalLong.of(candidate.parentVersion()),
                        frozenAt,
                        candidate.model(),
                        spec.encoder(),
                        spec.decisions().variance(),
                        spec.normBound(),
                        training,
                        candidate.certificate().map(Snapshots::certificate)));
    }

    private static Certificate certificate(CandidateCertificate known) {
        EvaluationResult estimates = known.estimates();
        return new Certificate(
                new Certificate.Estimates(
                        estimates.ips().value(),
                        estimates.truncatedIps().value(),
                        estimates.selfNormalized().value(),
                        estimates.logSmoothed().value(),
                        estimates.onPolicyMean().value()),
                ifFinite(known.riskBound().total()),
                ifFinite(known.logSmoothedBound().total()),
                estimates.delta(),
                estimates.n(),
                estimates.effectiveSampleSize());
    }

    /** A bound that is infinite says nothing, and a record has no number for it. */
    private static OptionalDouble ifFinite(double bound) {
        return Double.isFinite(bound) ? OptionalDouble.of(bound) : OptionalDouble.empty();
    }
}
