package io.counterflow.flink.loop;

import io.counterflow.core.loop.Candidate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.record.PolicySnapshotRecord;
import io.counterflow.schemas.snapshot.SnapshotConversion;
import io.counterflow.schemas.spec.LoopSpecConversion;
import java.time.Instant;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Builds snapshots from candidates. */
final class Snapshots {

    private Snapshots() {}

    /** The snapshot of a candidate that was frozen under a spec. */
    static PolicySnapshotRecord of(Candidate candidate, LoopSpec spec, Instant frozenAt) {
        Training training =
                new Training(
                        spec.get(LoopSettings.OBJECTIVE_NAME).toString(),
                        OptionalDouble.of(spec.get(LoopSettings.LAMBDA)),
                        OptionalDouble.of(spec.get(LoopSettings.TAU)),
                        candidate.examples(),
                        false,
                        LoopSpecConversion.digest(spec),
                        spec.version());
        return SnapshotConversion.toRecord(
                new PolicySnapshot(
                        spec.loop(),
                        candidate.version(),
                        OptionalLong.of(candidate.parentVersion()),
                        frozenAt,
                        candidate.model(),
                        spec.encoder(),
                        spec.decisionRule(),
                        spec.get(LoopSettings.VARIANCE),
                        spec.get(LoopSettings.NORM_BOUND),
                        training,
                        candidate.certificate()));
    }
}
