package io.counterflow.core.loop;

import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.spec.LoopSpec;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** The policies of a rollout: active, candidate and previous. */
final class RolloutPolicies {

    private final Rollout rollout;
    private final Policy active;
    private final Optional<Policy> candidate;
    private final Optional<Policy> previous;
    private double[] probabilities = new double[0];

    RolloutPolicies(Rollout rollout, VersionStore versions, LoopSpec spec) {
        this.rollout = rollout;
        this.active = spec.policyOf(require(versions, rollout.activeVersion()));
        this.candidate = policy(rollout.candidateVersion(), versions, spec);
        this.previous = policy(rollout.previousVersion(), versions, spec);
    }

    private static Optional<Policy> policy(
            OptionalLong version, VersionStore versions, LoopSpec spec) {
        return version.isPresent()
                ? Optional.of(spec.policyOf(require(versions, version.getAsLong())))
                : Optional.empty();
    }

    static LinearModel require(VersionStore versions, long version) {
        return versions.model(version)
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "version %d is in the rollout but is not stored"
                                                .formatted(version)));
    }

    /** Whether these are the policies of a rollout. */
    boolean fit(Rollout other) {
        return rollout.activeVersion() == other.activeVersion()
                && rollout.candidateVersion().equals(other.candidateVersion())
                && rollout.previousVersion().equals(other.previousVersion());
    }

    /** π(a|x) of an example under each of them. */
    Judgement judge(LoggedExample example) {
        int actions = active.actionCount(example.features());
        double ofActive = probability(active, example, actions);
        double ofCandidate = probability(candidate, example, actions);
        double ofPrevious = probability(previous, example, actions);
        long by = example.policyVersion();
        OptionalDouble logging = OptionalDouble.empty();
        if (by == rollout.activeVersion()) {
            logging = OptionalDouble.of(ofActive);
        } else if (isOne(rollout.candidateVersion(), by)) {
            logging = OptionalDouble.of(ofCandidate);
        } else if (isOne(rollout.previousVersion(), by)) {
            logging = OptionalDouble.of(ofPrevious);
        }
        return new Judgement(
                rollout.activeVersion(),
                ofActive,
                rollout.candidateVersion(),
                ofCandidate,
                ofPrevious,
                1.0 / example.allowed().count(actions),
                logging);
    }

    private static boolean isOne(OptionalLong version, long other) {
        return version.isPresent() && version.getAsLong() == other;
    }

    private double probability(Optional<Policy> policy, LoggedExample example, int actions) {
        return policy.isPresent() ? probability(policy.get(), example, actions) : 0.0;
    }

    private double probability(Policy policy, LoggedExample example, int actions) {
        if (probabilities.length < actions) {
            probabilities = new double[actions];
        }
        policy.probabilities(example.features(), example.allowed(), probabilities);
        return probabilities[example.action()];
    }
}
