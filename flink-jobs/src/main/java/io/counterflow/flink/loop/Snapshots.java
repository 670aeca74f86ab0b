package io.counterflow.flink.loop;

import io.counterflow.core.loop.Candidate;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LearnerKind;
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
                elsewhere.map(Training::objective).orElseGet(() -> objective(candidate, spec)),
                elsewhere.map(Training::lambda).orElseGet(() -> lambda(candidate, spec)),
                elsewhere.map(Training::tau).orElseGet(() -> tau(candidate, spec)),
                elsewhere.map(Training::examples).orElse(candidate.examples()),
                elsewhere.map(Training::propensitiesEstimated).orElse(false),
                LoopSpecConversion.digest(spec),
                spec.version());
    }

    /** A reward model has neither an objective of policies nor its constants. */
    private static String objective(Candidate candidate, LoopSpec spec) {
        return candidate.fromRewardModel()
                ? LearnerKind.REWARD_MODEL.toString()
                : spec.get(LoopSettings.OBJECTIVE_NAME).toString();
    }

    private static OptionalDouble lambda(Candidate candidate, LoopSpec spec) {
        return candidate.fromRewardModel()
                ? OptionalDouble.empty()
                : OptionalDouble.of(spec.objective(candidate.examples()).strength());
    }

    private static OptionalDouble tau(Candidate candidate, LoopSpec spec) {
        return candidate.fromRewardModel()
                ? OptionalDouble.empty()
                : OptionalDouble.of(spec.get(LoopSettings.TAU));
    }
}
