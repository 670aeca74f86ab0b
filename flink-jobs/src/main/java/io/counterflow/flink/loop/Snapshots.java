package io.counterflow.flink.loop;

import io.counterflow.core.loop.Candidate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.schemas.spec.LoopSpecConversion;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** Builds snapshots from candidates. */
final class Snapshots {

    private Snapshots() {}

    /** The snapshot of a candidate that was frozen under a spec. */
    static PolicySnapshot of(Candidate candidate, LoopSpec spec, Instant frozenAt) {
        return new PolicySnapshot(
                spec.loop(),
                candidate.version(),
                OptionalLong.of(candidate.parentVersion()),
                frozenAt,
                candidate.model(),
                spec.encoder(),
                spec.decisionRule(candidate.variance()),
                candidate.variance(),
                spec.get(LoopSettings.NORM_BOUND),
                training(candidate, spec),
                candidate.certificate());
    }

    /** A registered candidate says how it was learned, and under which spec it is served. */
    private static Training training(Candidate candidate, LoopSpec spec) {
        Optional<Training> elsewhere = candidate.training();
        return new Training(
                elsewhere
                        .map(Training::objective)
                        .orElseGet(() -> spec.get(LoopSettings.OBJECTIVE_NAME).toString()),
                elsewhere
                        .map(Training::lambda)
                        .orElseGet(
                                () ->
                                        OptionalDouble.of(
                                                spec.objective(candidate.examples()).strength())),
                elsewhere
                        .map(Training::tau)
                        .orElseGet(() -> OptionalDouble.of(spec.get(LoopSettings.TAU))),
                elsewhere.map(Training::examples).orElse(candidate.examples()),
                elsewhere.map(Training::propensitiesEstimated).orElse(false),
                LoopSpecConversion.digest(spec),
                spec.version());
    }
}
