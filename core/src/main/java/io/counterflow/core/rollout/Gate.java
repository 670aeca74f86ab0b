package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DifferenceConfidenceSequence;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides which version of a loop is active, and records the reasons. Not thread safe.
 *
 * <p>In gated mode the newest candidate is compared with the active version on the events that the
 * active version logs afterwards, and is promoted if it is better with confidence ({@link
 * PolicyComparison}, {@link GateCriterion}). The j-th comparison of a loop uses δ<sub>j</sub>
 * ({@link Comparisons}), so that with probability at least 1 − δ the loop never promotes a worse
 * candidate, however long it runs. Candidates take turns: one that is not promoted within its turn
 * is replaced by a newer one, whose turn is twice as long, so that small improvements are found in
 * the end. A candidate with half of the necessary evidence keeps its place. Registered candidates
 * are compared at the same time and have no turn. A promoted version is watched in the same way: if
 * the previous version is better with confidence on the events of the new one, the gate rolls back.
 * This uses a separate δ.
 *
 * <p>A canary decides a share of the events. It is still compared on the events of the active
 * version, and watched on its own events. Newer candidates wait until it ends.
 *
 * <p>Decisions need correct propensities of policies that are served now. An example that was
 * decided under another decision rule is ignored. A propensity that is an estimate, that differs
 * from the recomputed one, or a mean weight that is not one closes the gate. It opens after a
 * number of correct propensities in a row ({@link PropensityAudit}), and all comparisons start
 * again.
 *
 * <p>The gate uses numbers only; the caller computes the probabilities.
 */
public final class Gate {

    /** Share of the necessary evidence with which a candidate keeps its place. */
    private static final double PROMISING = 0.5;

    /** Bounds are reported after this number of examples, twice as many, and so on. */
    private static final long FIRST_REPORT = 1_000;

    private final RolloutMode mode;
    private final double canaryShare;
    private final long candidateExamples;
    private final GateCriterion criterion;
    private final boolean automaticRollback;
    private final Comparisons comparisons;
    private final PropensityAudit audit;
    private final RolloutTransitions transitions;
    private long ruleSince;

    private Gate(LoopSpec spec, GateState state) {
        this.mode = spec.get(LoopSettings.ROLLOUT_MODE);
        this.canaryShare = spec.get(LoopSettings.CANARY_SHARE);
        this.candidateExamples = spec.get(LoopSettings.CANDIDATE_EXAMPLES);
        this.criterion = GateCriterion.of(spec);
        this.automaticRollback = spec.get(LoopSettings.AUTOMATIC_ROLLBACK);
        this.comparisons = new Comparisons(spec.get(LoopSettings.DELTA), state);
        this.audit = new PropensityAudit(state);
        this.transitions = new RolloutTransitions(mode, comparisons, audit, state);
        this.ruleSince = state.ruleSince();
    }

    /** The gate of a new loop. */
    public static Gate start(LoopSpec spec) {
        return new Gate(spec, GateState.start(spec.startingVersion(), spec.version()));
    }

    /** Continues from a stored state, with the same spec. */
    public static Gate restore(LoopSpec spec, GateState state) {
        return new Gate(spec, state);
    }

    /**
     * The same gate under another spec. Running comparisons keep their δ, and a version that was
     * promoted in another mode is not watched.
     *
     * <p>If values or probabilities change, examples that were decided under the old spec are
     * ignored from now on, and comparisons start again. An exception is the exploration floor: it
     * mixes both policies with the same uniform policy, V = (1 − ε)V′ + εU, so that the sign of a
     * difference does not depend on it. Comparisons continue, and only the values are reported
     * anew. With a minimum gain or a guardrail the size of a difference matters, so they start
     * again.
     */
    public Gate changedTo(LoopSpec before, LoopSpec after) {
        Gate changed = new Gate(after, state());
        boolean sameRule = haveSameDecisionRule(before, after);
        boolean sameWorld = haveSameRewardsAndFeatures(before, after);
        if (!haveSameRule(before, after)) {
            changed.ruleSince = after.version();
        }
        boolean newCriterion = !changed.criterion.continues(criterion);
        boolean newFloor =
                !sameRule
                        && before.hasLearnedVariance() == after.hasLearnedVariance()
                        && before.decisionRule().differsOnlyInFloor(after.decisionRule());
        if (!sameWorld || newCriterion || (!sameRule && !newFloor)) {
            changed.comparisons.restart();
        } else if (newFloor) {
            if (changed.criterion.needsSignOnly()) {
                changed.comparisons.restartValues();
            } else {
                changed.comparisons.restart();
            }
        }
        return changed;
    }

    /** Whether decisions and rewards under two specs can be used in the same comparison. */
    public static boolean haveSameRule(LoopSpec one, LoopSpec other) {
        return haveSameDecisionRule(one, other) && haveSameRewardsAndFeatures(one, other);
    }

    private static boolean haveSameDecisionRule(LoopSpec one, LoopSpec other) {
        return one.hasLearnedVariance() == other.hasLearnedVariance()
                && one.decisionRule().equals(other.decisionRule());
    }

    private static boolean haveSameRewardsAndFeatures(LoopSpec before, LoopSpec after) {
        return before.rewardRule().equals(after.rewardRule())
                && before.shape().equals(after.shape())
                && before.get(LoopSettings.NORM_BOUND).equals(after.get(LoopSettings.NORM_BOUND));
    }

    /** Adds a new candidate, which was frozen before the examples that follow. */
    public Optional<RolloutChange> offer(long version) {
        transitions.offer(version);
        return advance();
    }

    /**
     * Adds a candidate that was learned elsewhere.
     *
     * @param timeMs when it was registered. It may have been learned from earlier decisions whose
     *     examples have not arrived yet, so only later ones are used to compare it.
     */
    public RolloutChange register(long version, long timeMs, String reason) {
        return mode == RolloutMode.IMMEDIATE
                ? transitions.refuse("candidates are not compared in immediate mode")
                : transitions.register(version, timeMs, reason);
    }

    /**
     * Executes a command, even if paused, or reports why it is not possible. A policy is registered
     * with {@link #register} instead, because it needs a version.
     *
     * @param timeMs when it was given. A version that it names may have been learned from earlier
     *     decisions, so only later ones are used to compare it
     */
    public RolloutChange command(RolloutCommand command, long timeMs) {
        return new RolloutCommands(transitions, comparisons).execute(command, timeMs);
    }

    /** Records a change that does not affect which version decides. */
    public RolloutChange note(RolloutChange.Kind kind, String reason) {
        return transitions.note(kind, reason, Optional.empty());
    }

    /** Whether examples that were decided under a spec were decided under the rule in force. */
    public boolean hasRuleInForce(long specVersion, long specInForce) {
        return specVersion >= ruleSince && specVersion <= specInForce;
    }

    /**
     * Adds an example. Examples are added in order. Examples of other versions than the active one
     * and the canary are ignored.
     */
    public Optional<RolloutChange> observe(ComparedExample example) {
        boolean split = example.splitShare() > 0.0;
        boolean ofCanary = !split && rollout().isCandidate(example.loggedBy());
        boolean ofActive = split || example.loggedBy() == rollout().activeVersion();
        if (!ofActive && !ofCanary) {
            return advance();
        }
        transitions.addTurnExample();
        if (example.evidence() == ComparedExample.Evidence.INEXACT) {
            return close("a logged propensity is an estimate");
        }
        if (example.evidence() == ComparedExample.Evidence.OTHER_RULE) {
            return advance();
        }
        if (example.isMismatch()) {
            // One of the two policies of a split may have been replaced since the decision.
            return split ? advance() : close("a logged propensity differs from the recomputed one");
        }
        if (audit.isClosed()) {
            return addToClosed();
        }
        long before = candidateCount();
        if (ofCanary) {
            comparisons.addOfCanary(example);
        } else if (example.maxHolderWeight() <= DifferenceConfidenceSequence.MAX_HOLDER_WEIGHT) {
            comparisons.addOfActive(example);
        }
        if (comparisons.showWrongPropensities()) {
            audit.addWrongMean();
            return Optional.of(
                    transitions.closeGate("the mean importance weight of a candidate is not 1"));
        }
        Optional<RolloutChange> change = advance();
        return change.isEmpty() && candidateCount() > before ? report() : change;
    }

    private long candidateCount() {
        return comparisons.candidate().isPresent() ? comparisons.candidate().get().count() : 0;
    }

    private Optional<RolloutChange> close(String reason) {
        boolean wasOpen = !audit.isClosed();
        audit.addWrong();
        return wasOpen ? Optional.of(transitions.closeGate(reason)) : advance();
    }

    private Optional<RolloutChange> addToClosed() {
        audit.addCorrect();
        return audit.isClosed()
                ? advance()
                : Optional.of(
                        transitions.openGate(
                                "the last %d propensities are correct; comparisons start again"
                                        .formatted(audit.cleanExamples())));
    }

    /** The bounds of the candidate, if it is time to report them. */
    private Optional<RolloutChange> report() {
        long n = candidateCount();
        if (n % FIRST_REPORT != 0 || Long.bitCount(n / FIRST_REPORT) != 1) {
            return Optional.empty();
        }
        return Optional.of(
                transitions.note(
                        RolloutChange.Kind.COMPARED,
                        "version %d is compared with %d: better%s"
                                .formatted(
                                        rollout().candidateVersion().orElseThrow(),
                                        active(),
                                        criterion.words(comparisons.candidate().orElseThrow())),
                        candidateBounds()));
    }

    /** The change that the mode requires now, if any. */
    private Optional<RolloutChange> advance() {
        if (rollout().paused()) {
            return Optional.empty();
        }
        return switch (mode) {
            case GATED -> audit.isClosed() ? Optional.empty() : advanceByData();
            case IMMEDIATE ->
                    waiting().isPresent()
                            ? Optional.of(
                                    transitions.promote(
                                            waiting().getAsLong(),
                                            "each candidate becomes the logging policy",
                                            Optional.empty()))
                            : Optional.empty();
            case MANUAL ->
                    waiting().isPresent() && rollout().stage() != Stage.CANARY
                            ? Optional.of(transitions.compareWaiting("waits for a person"))
                            : Optional.empty();
        };
    }

    private Optional<RolloutChange> advanceByData() {
        Optional<RolloutChange> returned = automaticRollback ? rollBack() : Optional.empty();
        if (returned.isPresent()) {
            return returned;
        }
        Optional<RolloutChange> passed = advanceBetterCandidate();
        if (passed.isPresent() || waiting().isEmpty()) {
            return passed;
        }
        Optional<PolicyComparison> candidate = comparisons.candidate();
        if (candidate.isEmpty()) {
            return Optional.of(transitions.compareWaiting("is compared with the active version"));
        }
        boolean keepsPlace = !turnIsOver() || criterion.evidence(candidate.get()) >= PROMISING;
        return keepsPlace ? Optional.empty() : Optional.of(transitions.replaceCandidate());
    }

    /** Returns from a version that is worse than the one before it, with confidence. */
    private Optional<RolloutChange> rollBack() {
        Optional<String> canaryIsWorse = criterion.violation(comparisons.canary());
        if (canaryIsWorse.isPresent()) {
            return Optional.of(
                    transitions.endCanary(
                            "the canary is worse than the active version" + canaryIsWorse.get()));
        }
        Optional<String> previousIsBetter = criterion.violation(comparisons.watched());
        if (previousIsBetter.isEmpty()) {
            return Optional.empty();
        }
        long previous = rollout().previousVersion().orElseThrow();
        String reason = "version %d was better than %d".formatted(previous, active());
        return Optional.of(transitions.rollBack(previous, reason + previousIsBetter.get()));
    }

    /** Promotes a candidate that is better with confidence, or lets it decide a share. */
    private Optional<RolloutChange> advanceBetterCandidate() {
        Optional<PolicyComparison> candidate = comparisons.candidate();
        if (candidate.isPresent() && criterion.isMetBy(candidate.get())) {
            Optional<RolloutChange> passed =
                    pass(rollout().candidateVersion().orElseThrow(), candidate.get());
            if (passed.isPresent()) {
                return passed;
            }
        }
        boolean canaryHasItsTurn = rollout().stage() == Stage.CANARY && !turnIsOver();
        if (canaryHasItsTurn || comparisons.registered().isEmpty()) {
            return Optional.empty();
        }
        for (Map.Entry<Long, PolicyComparison> other : comparisons.registered().entrySet()) {
            if (criterion.isMetBy(other.getValue())) {
                return rollout().stage() == Stage.CANARY
                        ? Optional.of(
                                transitions.endCanary(
                                        "version %d is better than the active version"
                                                .formatted(other.getKey())))
                        : pass(other.getKey(), other.getValue());
            }
        }
        return Optional.empty();
    }

    /** The change for a candidate that is better: a share of the events, or all. */
    private Optional<RolloutChange> pass(long version, PolicyComparison comparison) {
        Optional<PolicyComparison> canary = comparisons.canary();
        if (canary.isPresent() && canary.get().count() < candidateExamples) {
            return Optional.empty();
        }
        String reason = "version %d is better than %d".formatted(version, active());
        return Optional.of(
                canary.isEmpty() && canaryShare < 1.0
                        ? transitions.startCanary(
                                version, canaryShare, 0, reason + criterion.words(comparison))
                        : transitions.promote(
                                version,
                                reason + criterion.words(comparison),
                                transitions.bounds(comparison)));
    }

    private boolean turnIsOver() {
        return transitions.turnIsOver(candidateExamples);
    }

    private long active() {
        return rollout().activeVersion();
    }

    /** The current rollout. */
    public Rollout rollout() {
        return transitions.rollout();
    }

    /** The newest candidate, if it is waiting for its turn. */
    public OptionalLong waiting() {
        return transitions.waiting();
    }

    /** The current bounds of the candidate; empty if there is none, or the gate is closed. */
    public Optional<GateBounds> candidateBounds() {
        return comparisons.candidate().flatMap(transitions::bounds);
    }

    /** Whether no propensity of this generation was found to be wrong or inexact. */
    public boolean trusted() {
        return audit.trusted();
    }

    /** The state to store. */
    public GateState state() {
        return transitions.state(ruleSince);
    }
}
