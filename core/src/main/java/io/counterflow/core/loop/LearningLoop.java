package io.counterflow.core.loop;

import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.Gate;
import io.counterflow.core.rollout.GateState;
import io.counterflow.core.rollout.HoldoutGain;
import io.counterflow.core.rollout.HoldoutState;
import io.counterflow.core.rollout.RegisteredPolicy;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.SpecChange;
import io.counterflow.core.text.JsonName;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * One loop with its learner and its gate. Its inputs must be given in order. Not thread safe.
 *
 * <p>An example is first given to the gate, with the probabilities under policies that were frozen
 * before it, and then to the learner. If the gate changed the logging policy, a new generation
 * starts. Finally, if a candidate is due, it is frozen and offered to the gate.
 *
 * <p>A spec that affects only future decisions and examples takes effect immediately. A spec that
 * changes what the parameters of the generation were learned for, or something that must be fixed
 * before the data, takes effect with the next generation.
 */
public final class LearningLoop {

    /** Smaller propensities would give weights that make estimates useless. */
    private static final double MIN_PROPENSITY = 1e-90;

    /** Until serving knows a version, and until its examples reach the loop, besides the window. */
    private static final long LATENCY_MS = 30_000;

    private final LoopStorage storage;
    private final LoopLimits limits;
    private LoopSpec spec;
    private Optional<LoopSpec> waitingSpec;
    private LoopLearner learner;
    private Gate gate;
    private HoldoutGain holdout;
    private RolloutPolicies policies;

    private LearningLoop(
            LoopSpec spec,
            Optional<LoopSpec> waitingSpec,
            LoopLimits limits,
            LoopLearner learner,
            Gate gate,
            HoldoutGain holdout,
            LoopStorage storage) {
        this.spec = spec;
        this.waitingSpec = waitingSpec;
        this.limits = limits;
        this.learner = learner;
        this.gate = gate;
        this.holdout = holdout;
        this.storage = storage;
        this.policies = new RolloutPolicies(gate.rollout(), storage, spec);
    }

    /**
     * Starts a loop with the starting policy of its spec.
     *
     * @param storage must be empty
     * @throws IllegalArgumentException if the spec names another version as the baseline
     */
    public static LearningLoop start(
            LoopSpec spec, LoopLimits limits, LoopStorage storage, LoopOutput output) {
        missingBaseline(spec, storage)
                .ifPresent(
                        reason -> {
                            throw new IllegalArgumentException(reason);
                        });
        LoopLearner learner = LoopLearner.start(spec, limits.bufferBytes(), storage);
        long version = spec.startingVersion();
        storage.keep(version, spec.startingParameters());
        Gate gate = Gate.start(spec);
        LearningLoop loop =
                new LearningLoop(
                        spec,
                        Optional.empty(),
                        limits,
                        learner,
                        gate,
                        HoldoutGain.start(spec),
                        storage);
        output.changed(
                gate.note(
                        RolloutChange.Kind.STARTED,
                        "spec version %d; version %d decides".formatted(spec.version(), version)));
        return loop;
    }

    /** Continues from a stored state. */
    public static LearningLoop restore(
            LoopSpec spec,
            Optional<LoopSpec> waitingSpec,
            LoopLimits limits,
            LearnerState learner,
            GateState gate,
            Optional<HoldoutState> holdout,
            LoopStorage storage) {
        return new LearningLoop(
                spec,
                waitingSpec,
                limits,
                LoopLearner.restore(spec, limits.bufferBytes(), storage, learner),
                Gate.restore(spec, gate),
                HoldoutGain.restore(spec, holdout),
                storage);
    }

    /** Adds an example with an exact propensity, decided under the rule in force. */
    public ComparedExample take(LoggedExample example, long eventTimeMs, LoopOutput output) {
        return take(example, DecisionOrigin.EXACT, eventTimeMs, output);
    }

    /**
     * Adds an example. If the example is refused, nothing changes.
     *
     * @param origin how it was decided
     * @param eventTimeMs its event time, at least 0
     * @return the example with its probabilities under the policies of the rollout
     * @throws IllegalArgumentException if the loop cannot learn from the example
     */
    public ComparedExample take(
            LoggedExample example, DecisionOrigin origin, long eventTimeMs, LoopOutput output) {
        requireFit(example);
        Require.atLeast(0, eventTimeMs, "eventTimeMs"); // before the gate has seen the example
        ComparedExample compared =
                policies.compare(example, origin, hasRuleInForce(origin), gate.watchesPrevious());
        try {
            learn(example, origin, compared, eventTimeMs, output);
        } catch (IllegalArgumentException e) {
            // A bug, not a wrong example: a partly added example must not be reported as refused.
            throw new IllegalStateException("an example was added only in part", e);
        }
        return compared;
    }

    /** A decision under an unknown spec is audited as one under the rule in force. */
    private boolean hasRuleInForce(DecisionOrigin origin) {
        long decidedUnder = origin.specVersion();
        return decidedUnder == 0
                || gate.hasRuleInForce(decidedUnder, spec.version())
                || hasRuleInForce(waitingSpec, decidedUnder);
    }

    /**
     * Whether decisions under the spec that is waiting are the same as those under the one in
     * force. Serving uses it early if the older spec was removed from the topic.
     */
    private boolean hasRuleInForce(Optional<LoopSpec> waiting, long decidedUnder) {
        return waiting.isPresent()
                && waiting.get().version() == decidedUnder
                && Gate.haveSameRule(spec, waiting.get());
    }

    private void learn(
            LoggedExample example,
            DecisionOrigin origin,
            ComparedExample compared,
            long eventTimeMs,
            LoopOutput output) {
        long active = gate.rollout().activeVersion();
        holdout.add(example, origin, eventTimeMs);
        // Of the holdout, the versions of the rollout decided nothing, whatever is active.
        Optional<RolloutChange> change =
                origin.byRollout() ? gate.observe(compared) : Optional.empty();
        if (compared.isComparable() && origin.byRollout()) {
            learner.judge(example, compared.active().probability());
        }
        if (origin.apprentice()) {
            learner.imitate(example, eventTimeMs);
        } else {
            learner.learn(example, eventTimeMs);
        }
        if (origin.apprentice() || (!compared.isChecked() && example.policyVersion() == active)) {
            // Such examples come together, after a change of the rule, so that few are lost.
            learner.certifyLaterExamplesOnly();
        }
        if (change.isPresent()) {
            follow(change.get(), output);
        }
        if (learner.snapshotDue() && !isTooEarly()) {
            freeze(output);
        }
    }

    /**
     * Whether it is too early for another candidate that decides a share of the events. The
     * examples of those events come when the attribution window has passed. Their version must
     * still be stored then, so that their propensities can be checked.
     */
    private boolean isTooEarly() {
        if (!Gate.givesShares(spec)) {
            return false;
        }
        long untilExamplesMs = spec.rewardRule().attributionWindow().toMillis() + LATENCY_MS;
        int used = Math.max(1, limits.keptVersions() - 2); // the newest one, and one in reserve
        return learner.sinceCandidateMs() < untilExamplesMs / used;
    }

    /**
     * Refuses an example that this loop cannot learn from.
     *
     * @throws IllegalArgumentException if the example does not fit
     */
    public void requireFit(LoggedExample example) {
        learner.requireFit(example);
        if (example.propensity() < MIN_PROPENSITY) {
            throw new IllegalArgumentException(
                    "propensity must be at least %s to be learned from, got %s"
                            .formatted(MIN_PROPENSITY, example.propensity()));
        }
    }

    private void freeze(LoopOutput output) {
        Candidate candidate = learner.freeze(gate.trusted());
        storage.keep(candidate.version(), candidate.parameters());
        output.frozen(candidate);
        gate.offer(candidate.version()).ifPresent(change -> follow(change, output));
        forgetOldVersions(output);
    }

    private void forgetOldVersions(LoopOutput output) {
        long newest = learner.progress().latestVersion();
        for (long version : new TreeSet<>(storage.versions())) { // in an order that is defined
            if (version <= newest - limits.keptVersions()
                    && !isInRollout(version)
                    && !isBaseline(version)) {
                storage.forget(version);
                output.forgotten(version);
            }
        }
        policies.versionsHaveChanged();
    }

    private boolean isInRollout(long version) {
        OptionalLong it = OptionalLong.of(version);
        return version == gate.rollout().activeVersion()
                || it.equals(gate.rollout().candidateVersion())
                || it.equals(gate.rollout().previousVersion())
                || gate.rollout().registeredVersions().contains(version)
                || version == learner.progress().priorVersion()
                || it.equals(gate.waiting());
    }

    /** Whether a spec names the version as the baseline. The starting policy is in the spec. */
    private boolean isBaseline(long version) {
        OptionalLong it = OptionalLong.of(version);
        return it.equals(spec.get(LoopSettings.HOLDOUT_VERSION))
                || (waitingSpec.isPresent()
                        && it.equals(waitingSpec.get().get(LoopSettings.HOLDOUT_VERSION)));
    }

    /**
     * Executes a command, or reports why it is not possible.
     *
     * @param timeMs when it was given
     */
    public void command(RolloutCommand command, long timeMs, LoopOutput output) {
        if (command.policy().isPresent()) {
            register(command.policy().get(), timeMs, command.reason(), output);
            return;
        }
        OptionalLong asked = command.version();
        boolean kept = asked.isEmpty() || storage.parameters(asked.getAsLong()).isPresent();
        follow(
                kept
                        ? gate.command(command, timeMs)
                        : gate.note(
                                RolloutChange.Kind.REFUSED,
                                "version %d is not one of the stored versions"
                                        .formatted(asked.getAsLong())),
                output);
    }

    /** Registers a policy under the spec in force, or reports why it is not possible. */
    private void register(RegisteredPolicy policy, long timeMs, String reason, LoopOutput output) {
        RolloutMode mode = spec.get(LoopSettings.ROLLOUT_MODE);
        if (!Gate.compares(mode)) {
            refuse(
                    "candidates are not compared in %s mode; set rolloutMode to gated or manual, then register the policy again"
                            .formatted(JsonName.of(mode)),
                    output);
            return;
        }
        VersionParameters parameters;
        try {
            parameters = policy.parameters(spec, storage::parameters);
            spec.requireVariance(parameters.variance());
            Object unused = spec.policyOf(parameters);
        } catch (IllegalArgumentException e) {
            boolean trained = policy instanceof RegisteredPolicy.Snapshot;
            refuse(
                    e.getMessage() + (trained ? "; train it with the settings of the loop" : ""),
                    output);
            return;
        }
        register(parameters, policy.training(), timeMs, policy.description() + reason, output);
    }

    private void refuse(String reason, LoopOutput output) {
        output.changed(gate.note(RolloutChange.Kind.REFUSED, reason));
    }

    /**
     * Adds a policy that was learned elsewhere as a candidate. It gets the next version number.
     *
     * @param training how it was learned
     * @param timeMs when it was registered; only later decisions are used to compare it
     * @throws IllegalArgumentException if the parameters do not fit the loop
     */
    public void register(
            VersionParameters parameters,
            Training training,
            long timeMs,
            String reason,
            LoopOutput output) {
        Candidate candidate = learner.adopt(parameters, training);
        storage.keep(candidate.version(), candidate.parameters());
        output.frozen(candidate);
        follow(gate.register(candidate.version(), timeMs, reason), output);
        forgetOldVersions(output);
    }

    /** Accepts a new spec: immediately, with the next generation, or not at all. */
    public SpecChange change(LoopSpec next, LoopOutput output) {
        SpecChange change = SpecChange.between(spec, next);
        String name = "spec version %d".formatted(next.version());
        Optional<String> missing = missingBaseline(next, storage);
        if (change.verdict() == SpecChange.Verdict.REFUSED) {
            refuseSpec(next.version(), change.toString(), output);
        } else if (missing.isPresent()) {
            refuseSpec(next.version(), missing.get(), output);
        } else if (change.verdict() == SpecChange.Verdict.IMMEDIATE
                || learner.hasLearnedNothing()) {
            waitingSpec = Optional.empty(); // the newer spec is complete
            adopt(next);
            output.changed(gate.note(RolloutChange.Kind.SPEC_CHANGED, name + " is in force"));
        } else {
            waitingSpec = Optional.of(next);
            output.changed(
                    gate.note(
                            RolloutChange.Kind.SPEC_WAITS,
                            name + " waits for the next generation; " + change));
        }
        return change;
    }

    /** Why the baseline version of a spec cannot decide; empty if it can, or need not. */
    public static Optional<String> missingBaseline(LoopSpec spec, LoopStorage storage) {
        if (!spec.hasHoldout() && spec.get(LoopSettings.HOLDOUT_VERSION).isEmpty()) {
            return Optional.empty();
        }
        try {
            return RolloutPolicies.baseline(storage, spec).isPresent()
                    ? Optional.empty()
                    : Optional.of(
                            "holdoutVersion must be a stored version, got "
                                    + spec.holdoutVersion());
        } catch (IllegalArgumentException e) {
            return Optional.of("holdoutVersion cannot be served: " + e.getMessage());
        }
    }

    /** Records that a spec is refused. */
    public void refuseSpec(long specVersion, String reason, LoopOutput output) {
        output.changed(
                gate.note(
                        RolloutChange.Kind.SPEC_REFUSED,
                        "spec version %d; %s".formatted(specVersion, reason)));
    }

    private void adopt(LoopSpec next) {
        learner = learner.changedTo(next);
        if (!next.rewardRule().equals(spec.rewardRule())) {
            learner.certifyLaterExamplesOnly(); // earlier rewards have another meaning
        }
        gate = gate.changedTo(spec, next);
        holdout = holdout.changedTo(next);
        spec = next;
        policies = new RolloutPolicies(gate.rollout(), storage, spec);
    }

    /** Applies a change of the rollout to the learner. */
    private void follow(RolloutChange change, LoopOutput output) {
        output.changed(change);
        if (change.startsGeneration()) {
            long active = change.rollout().activeVersion();
            learner.promote(active, RolloutPolicies.require(storage, active));
        }
        if (!policies.fit(change.rollout())) {
            policies = new RolloutPolicies(change.rollout(), storage, spec);
        }
        if (change.startsGeneration() && waitingSpec.isPresent()) {
            LoopSpec next = waitingSpec.get();
            waitingSpec = Optional.empty();
            learner.forgetExamples(); // a promoted reward model does not end LPR's generation
            adopt(next);
            output.changed(
                    gate.note(
                            RolloutChange.Kind.SPEC_CHANGED,
                            "spec version %d is in force with this generation"
                                    .formatted(next.version())));
        }
    }

    public LoopSpec spec() {
        return spec;
    }

    /** The spec that takes effect with the next generation. */
    public Optional<LoopSpec> waitingSpec() {
        return waitingSpec;
    }

    /** The learner, for storage. */
    public LoopLearner learner() {
        return learner;
    }

    /** The gate, for storage. */
    public Gate gate() {
        return gate;
    }

    /** The measured gain over the baseline version. */
    public HoldoutGain holdout() {
        return holdout;
    }
}
