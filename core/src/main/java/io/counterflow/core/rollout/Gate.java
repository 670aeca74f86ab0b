package io.counterflow.core.rollout;

import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.text.JsonName;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides which version of a loop is active, and records the reasons. Not thread safe.
 *
 * <p>In gated mode candidates are compared with the active version on the events that are logged
 * after they were frozen. A newer candidate takes the place of an older one, and their comparison
 * goes on: it is about the versions of the learner, each on the examples of its time. If they are
 * better with confidence, on average over the comparison, the newest one is promoted ({@link
 * PolicyComparison}, {@link GateCriterion}). The j-th comparison of a loop uses δ<sub>j</sub>
 * ({@link Comparisons}), so that with probability at least 1 − δ the loop never promotes one of
 * candidates that are all worse, however long it runs. A comparison that does not lead to a
 * promotion within its turn starts again, and its turn is twice as long, so that what was learned
 * in the beginning does not count for ever and small improvements are found in the end; with half
 * of the necessary evidence it goes on. Registered candidates are compared at the same time, one by
 * one, and have no turn. A promoted version is watched in the same way: if the previous version is
 * better with confidence on the events of the new one, the gate rolls back. This uses a separate δ.
 *
 * <p>While a candidate is compared, it decides a share of the events, which follows the evidence
 * ({@link ShareSchedule}): a <em>canary</em>. All events are logged with their probability under
 * both versions together, so that weights are small and few examples show which version is better.
 * A person can set the share as well; then version and share stay, and newer candidates wait until
 * the turn is over.
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
    private final double maxShare;
    private final long candidateExamples;
    private final GateCriterion criterion;
    private final boolean automaticRollback;
    private final Comparisons comparisons;
    private final PropensityAudit audit;
    private final ShareSchedule shares;
    private final RolloutTransitions transitions;
    private long ruleSince;

    private Gate(LoopSpec spec, GateState state) {
        this.mode = spec.get(LoopSettings.ROLLOUT_MODE);
        this.maxShare = maxShare(spec);
        this.candidateExamples = spec.get(LoopSettings.CANDIDATE_EXAMPLES);
        this.criterion = GateCriterion.of(spec);
        this.automaticRollback = spec.get(LoopSettings.AUTOMATIC_ROLLBACK);
        this.comparisons = new Comparisons(spec.get(LoopSettings.DELTA), state);
        this.audit = new PropensityAudit(state);
        this.shares = new ShareSchedule(criterion, state);
        this.transitions = new RolloutTransitions(mode, comparisons, audit, shares, state);
        this.ruleSince = state.ruleSince();
    }

    /** The largest share that the gate may give to a candidate. */
    private static double maxShare(LoopSpec spec) {
        boolean splits =
                spec.get(LoopSettings.ROLLOUT_MODE) == RolloutMode.GATED
                        && spec.get(LoopSettings.POLICY) == PolicyKind.SOFTMAX;
        return splits ? spec.get(LoopSettings.CANARY_SHARE) : 0.0;
    }

    /** Whether the gate lets candidates decide a share of the events. */
    public static boolean givesShares(LoopSpec spec) {
        return maxShare(spec) > 0.0;
    }

    /** Whether candidates are compared with the active version, by the gate or for a person. */
    public static boolean compares(RolloutMode mode) {
        return mode == RolloutMode.GATED || mode == RolloutMode.MANUAL;
    }

    /** The gate of a new loop. */
    public static Gate start(LoopSpec spec) {
        boolean given = spec.get(LoopSettings.STARTING_POLICY).isPresent();
        return new Gate(spec, GateState.start(spec.startingVersion(), given, spec.version()));
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
        changed.transitions.limitShare(changed.maxShare);
        if (after.isApprentice()) {
            changed.transitions.endShare();
        }
        boolean newCriterion = !changed.criterion.continues(criterion);
        boolean newFloor =
                !sameRule
                        && before.hasLearnedVariance() == after.hasLearnedVariance()
                        && before.decisionRule().differsOnlyInFloor(after.decisionRule());
        if (!sameWorld || newCriterion || (!sameRule && !newFloor)) {
            changed.restartComparisons();
        } else if (newFloor) {
            if (changed.criterion.needsSignOnly()) {
                changed.comparisons.restartValues();
            } else {
                changed.restartComparisons();
            }
        }
        return changed;
    }

    private void restartComparisons() {
        comparisons.restart();
        shares.restart();
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
        return compares(mode)
                ? transitions.register(version, timeMs, reason)
                : transitions.refuse(
                        "candidates are not compared in %s mode".formatted(JsonName.of(mode)));
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
     * Adds an example. Examples are added in order. Examples that the active version logged neither
     * alone nor together with another one are ignored.
     */
    public Optional<RolloutChange> observe(ComparedExample example) {
        if (example.loggedBy() != rollout().activeVersion()) {
            return advance();
        }
        transitions.addTurnExample();
        if (example.evidence() == ComparedExample.Evidence.INEXACT) {
            return close("a logged propensity is an estimate");
        }
        if (example.evidence() != ComparedExample.Evidence.USABLE) {
            return advance();
        }
        if (example.isMismatch()) {
            return close("a logged propensity differs from the recomputed one");
        }
        if (audit.isClosed()) {
            return addToClosed();
        }
        long before = candidateCount();
        comparisons.add(example);
        if (candidateCount() > before && maxShare > 0.0 && !transitions.shareIsFixed()) {
            shares.add(example);
        }
        if (comparisons.showWrongPropensities()) {
            audit.addWrongMean();
            return Optional.of(
                    transitions.closeGate("the mean importance weight of a candidate is not 1"));
        }
        Optional<RolloutChange> change = advance();
        if (change.isPresent() || candidateCount() <= before) {
            return change;
        }
        Optional<RolloutChange> share = adjustShare();
        return share.isPresent() ? share : report();
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
            case IMMEDIATE -> promoteWaiting("each candidate becomes the logging policy");
            case APPRENTICE ->
                    promoteWaiting(
                            "each candidate becomes the active version, which decides nothing while"
                                    + " the loop is an apprentice");
            case MANUAL ->
                    waiting().isPresent() && rollout().stage() != Stage.CANARY
                            ? Optional.of(transitions.compareWaiting(0.0, "waits for a person"))
                            : Optional.empty();
        };
    }

    private Optional<RolloutChange> promoteWaiting(String reason) {
        return waiting().isPresent()
                ? Optional.of(transitions.promote(waiting().getAsLong(), reason, Optional.empty()))
                : Optional.empty();
    }

    private Optional<RolloutChange> advanceByData() {
        Optional<RolloutChange> returned = automaticRollback ? rollBack() : Optional.empty();
        if (returned.isPresent()) {
            return returned;
        }
        Optional<RolloutChange> passed = advanceBetterCandidate();
        if (passed.isPresent()) {
            return passed;
        }
        boolean hasCandidate = comparisons.candidate().isPresent();
        boolean losesPlace =
                hasCandidate
                        && turnIsOver()
                        && criterion.evidence(comparisons.candidate().get()) < PROMISING;
        if (losesPlace && !transitions.shareIsFixed()) {
            transitions.restartTurn();
        }
        if (waiting().isEmpty()) {
            return Optional.empty();
        }
        if (!hasCandidate || (losesPlace && transitions.shareIsFixed())) {
            return Optional.of(
                    transitions.compareWaiting(
                            shares.first(maxShare), "is compared with the active version"));
        }
        return transitions.shareIsFixed()
                ? Optional.empty()
                : Optional.of(transitions.replaceCandidate());
    }

    /** Gives candidates the share that the examples so far justify, unless a person has set it. */
    private Optional<RolloutChange> adjustShare() {
        long examples = candidateCount();
        if (rollout().paused()
                || transitions.shareIsFixed()
                || maxShare == 0.0
                || examples % ShareSchedule.EXAMPLES != 0) {
            return Optional.empty();
        }
        double share = rollout().share();
        double next = shares.next(share, maxShare);
        return next == share
                ? Optional.empty()
                : Optional.of(
                        transitions.changeShare(
                                next,
                                "version %d decides %s of the events after %d examples"
                                        .formatted(
                                                rollout().candidateVersion().orElseThrow(),
                                                next,
                                                examples)));
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

    /** Promotes a candidate that is better with confidence. */
    private Optional<RolloutChange> advanceBetterCandidate() {
        Optional<PolicyComparison> candidate = comparisons.candidate();
        if (candidate.isPresent() && criterion.isMetBy(candidate.get())) {
            return Optional.of(
                    promote(rollout().candidateVersion().orElseThrow(), candidate.get()));
        }
        boolean hasCanaryOfAPerson = transitions.shareIsFixed() && !turnIsOver();
        if (hasCanaryOfAPerson || comparisons.registered().isEmpty()) {
            return Optional.empty();
        }
        for (Map.Entry<Long, PolicyComparison> other : comparisons.registered().entrySet()) {
            if (criterion.isMetBy(other.getValue())) {
                return Optional.of(promote(other.getKey(), other.getValue()));
            }
        }
        return Optional.empty();
    }

    private RolloutChange promote(long version, PolicyComparison comparison) {
        return transitions.promote(
                version,
                "version %d is better than %d%s"
                        .formatted(version, active(), criterion.words(comparison)),
                transitions.bounds(comparison));
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

    /** Whether the active version is compared with the previous one. */
    public boolean watchesPrevious() {
        return comparisons.watched().isPresent();
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
