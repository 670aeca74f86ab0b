package io.counterflow.core.loop;

import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.ComparedVersion;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * The policies of a rollout under the decision rule in force: active, candidate, previous and
 * registered ones.
 */
final class RolloutPolicies {

    private final Rollout rollout;
    private final LoopStorage storage;
    private final LoopSpec spec;
    private final boolean guarded;
    private final Policy active;
    private final Optional<Policy> candidate;
    private final Optional<Policy> previous;
    private final List<Policy> registered = new ArrayList<>();
    private long formerVersion; // a candidate that shared events and is no longer compared
    private Optional<Policy> former = Optional.empty();
    private Optional<Policy> baseline = Optional.empty(); // read for the first holdout example

    // π(a|x) of each action in the context of an example, and μ(a|x) with which it was logged
    private double[] ofActive = new double[0];
    private double[] ofCandidate = new double[0];
    private double[] ofOther = new double[0];
    private double[] logging = new double[0];

    RolloutPolicies(Rollout rollout, LoopStorage storage, LoopSpec spec) {
        this.rollout = rollout;
        this.storage = storage;
        this.spec = spec;
        this.formerVersion = rollout.activeVersion(); // none
        this.guarded = spec.get(LoopSettings.GUARDRAIL_MARGIN).isPresent();
        this.active = spec.policyOf(require(storage, rollout.activeVersion()));
        this.candidate = policy(rollout.candidateVersion(), storage, spec);
        this.previous = policy(rollout.previousVersion(), storage, spec);
        for (long version : rollout.registeredVersions()) {
            registered.add(spec.policyOf(require(storage, version)));
        }
    }

    private static Optional<Policy> policy(
            OptionalLong version, LoopStorage storage, LoopSpec spec) {
        return version.isPresent()
                ? Optional.of(spec.policyOf(require(storage, version.getAsLong())))
                : Optional.empty();
    }

    static VersionParameters require(LoopStorage storage, long version) {
        return storage.parameters(version)
                .orElseThrow(
                        () ->
                                new IllegalStateException(
                                        "version %d is in the rollout but is not stored"
                                                .formatted(version)));
    }

    /** Forgets what was read from the stored versions besides those of the rollout. */
    void versionsHaveChanged() {
        formerVersion = rollout.activeVersion(); // none
        former = Optional.empty();
    }

    /** Whether these are the policies of a rollout. */
    boolean fit(Rollout other) {
        return rollout.activeVersion() == other.activeVersion()
                && rollout.candidateVersion().equals(other.candidateVersion())
                && rollout.previousVersion().equals(other.previousVersion())
                && rollout.registeredVersions().equals(other.registeredVersions());
    }

    /**
     * An example with its probabilities under each of them.
     *
     * @param inForce whether it was decided under the decision rule in force
     * @param watched whether the previous version is compared; otherwise its probability is 0,
     *     unless it logged the example
     */
    ComparedExample compare(
            LoggedExample example, DecisionOrigin origin, boolean inForce, boolean watched) {
        reserve(active.actionCount(example.features()));
        double byActive = probability(active, example, ofActive);
        double byCandidate =
                candidate.isPresent() ? probability(candidate.get(), example, ofCandidate) : 0.0;
        double recomputed = recomputed(example, origin, byActive, byCandidate);
        boolean isShared = origin.split().isPresent() && !Double.isNaN(recomputed);
        boolean canLose = isShared && candidate.isPresent();
        double share = origin.split().isPresent() ? origin.split().get().share() : 0.0;
        return new ComparedExample(
                example.policyVersion(),
                origin.timeMs(),
                example.propensity(),
                1.0 / (1.0 - share),
                isOfCandidate(origin.split()) ? share : 0.0,
                example.reward(),
                guarded ? origin.guardrailReward() : OptionalDouble.empty(),
                new ComparedVersion(byActive, canLose ? loss(ofCandidate, ofActive, example) : 0.0),
                new ComparedVersion(
                        byCandidate, canLose ? loss(ofActive, ofCandidate, example) : 0.0),
                previous.isPresent() && (watched || isBy(rollout.previousVersion(), example))
                        ? nextToActive(previous.get(), example, isShared)
                        : ComparedVersion.NONE,
                ofRegistered(example, isShared),
                recomputed,
                maxWeight(example),
                evidence(origin, inForce, !Double.isNaN(recomputed)));
    }

    private void reserve(int actions) {
        if (logging.length < actions) {
            ofActive = new double[actions];
            ofCandidate = new double[actions];
            ofOther = new double[actions];
            logging = new double[actions];
        }
    }

    private List<ComparedVersion> ofRegistered(LoggedExample example, boolean isShared) {
        List<ComparedVersion> challengers = new ArrayList<>(registered.size());
        for (Policy policy : registered) {
            challengers.add(nextToActive(policy, example, isShared));
        }
        return challengers;
    }

    private ComparedVersion nextToActive(Policy policy, LoggedExample example, boolean isShared) {
        double probability = probability(policy, example, ofOther);
        return new ComparedVersion(probability, isShared ? loss(ofActive, ofOther, example) : 0.0);
    }

    private double loss(double[] holder, double[] challenger, LoggedExample example) {
        return ComparedVersion.loss(
                holder, challenger, logging, active.actionCount(example.features()));
    }

    private boolean isOfCandidate(Optional<Split> split) {
        return split.isPresent()
                && rollout.candidateVersion().isPresent()
                && split.get().candidateVersion() == rollout.candidateVersion().getAsLong();
    }

    private static ComparedExample.Evidence evidence(
            DecisionOrigin origin, boolean inForce, boolean isRecomputed) {
        return switch (origin.propensityKind()) {
            case ESTIMATED, LEARNED -> ComparedExample.Evidence.INEXACT;
            case EXACT, UPPER_BOUND -> {
                if (!inForce) {
                    yield ComparedExample.Evidence.OTHER_RULE;
                }
                yield isRecomputed || origin.split().isEmpty()
                        ? ComparedExample.Evidence.USABLE
                        : ComparedExample.Evidence.UNCHECKED;
            }
        };
    }

    /** What the propensity should be; NaN if a version that decided is not known any more. */
    private double recomputed(
            LoggedExample example, DecisionOrigin origin, double byActive, double byCandidate) {
        if (origin.apprentice()) {
            return 1.0; // nothing was drawn
        }
        if (origin.split().isPresent()) {
            return ofSplit(example, origin.split().get());
        }
        if (example.policyVersion() == rollout.activeVersion()) {
            return propensity(active, example, byActive);
        }
        if (isBy(rollout.candidateVersion(), example)) {
            return propensity(candidate.orElseThrow(), example, byCandidate);
        }
        if (isBy(rollout.previousVersion(), example)) {
            Policy policy = previous.orElseThrow();
            return propensity(policy, example, probability(policy, example, ofOther));
        }
        return origin.holdout() ? ofBaseline(example) : Double.NaN;
    }

    /** The propensity under the baseline version; NaN if that is another one now. */
    private double ofBaseline(LoggedExample example) {
        if (example.policyVersion() != spec.holdoutVersion()) {
            return Double.NaN;
        }
        if (baseline.isEmpty()) {
            baseline = baseline(storage, spec);
        }
        Policy policy = baseline.orElseThrow();
        return propensity(policy, example, probability(policy, example, ofOther));
    }

    /**
     * The policy of the baseline version of a spec; empty if it is not stored.
     *
     * @throws IllegalArgumentException if it cannot be served under the spec
     */
    static Optional<Policy> baseline(LoopStorage storage, LoopSpec spec) {
        long version = spec.holdoutVersion();
        return (version == spec.startingVersion()
                        ? Optional.of(spec.startingParameters())
                        : storage.parameters(version))
                .map(spec::policyOf);
    }

    private static boolean isBy(OptionalLong version, LoggedExample example) {
        return version.isPresent() && version.getAsLong() == example.policyVersion();
    }

    /** NaN also for mixed logits: bounds of two policies do not give a weight of their mixture. */
    private double ofSplit(LoggedExample example, Split split) {
        if (split.activeVersion() != rollout.activeVersion() || isBounded(active)) {
            return Double.NaN;
        }
        if (isOfCandidate(Optional.of(split))) {
            return mixed(split, ofCandidate, example);
        }
        if (split.candidateVersion() != formerVersion) {
            formerVersion = split.candidateVersion();
            former = storage.parameters(formerVersion).map(spec::policyOf);
        }
        if (former.isEmpty()) {
            return Double.NaN;
        }
        probability(former.get(), example, ofOther);
        return mixed(split, ofOther, example);
    }

    /** Computes μ for every action, and returns it for the example's. */
    private double mixed(Split split, double[] ofSharing, LoggedExample example) {
        int actions = active.actionCount(example.features());
        for (int a = 0; a < actions; a++) {
            logging[a] = split.propensity(ofActive[a], ofSharing[a]);
        }
        return logging[example.action()];
    }

    private double propensity(Policy policy, LoggedExample example, double probability) {
        return isBounded(policy)
                ? policy.upperBound(example.features(), example.allowed(), example.action())
                : probability;
    }

    /**
     * π(a|x) of the example's action. Those of all actions are written to {@code probabilities},
     * unless only bounds are known.
     */
    private static double probability(
            Policy policy, LoggedExample example, double[] probabilities) {
        if (isBounded(policy)) {
            return policy.lowerBound(example.features(), example.allowed(), example.action());
        }
        policy.probabilities(example.features(), example.allowed(), probabilities);
        return probabilities[example.action()];
    }

    /** Whether bounds are used, because the probabilities of a mixed logit are not known. */
    private static boolean isBounded(Policy policy) {
        return policy.rule().propensityKind() == PropensityKind.UPPER_BOUND;
    }

    /** The mean weight is below one if the weights are lower bounds, so it has no upper side. */
    private double maxWeight(LoggedExample example) {
        int actions = active.actionCount(example.features());
        return isBounded(active)
                ? Double.POSITIVE_INFINITY
                : example.allowed().count(actions) / active.rule().explorationFloor();
    }
}
