package io.counterflow.core.rollout;

import io.counterflow.core.spec.RolloutMode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The changes that a rollout can make, whoever decides them. Each keeps the running comparisons,
 * the turn of the candidate and the candidate that is waiting in step with the rollout.
 */
final class RolloutTransitions {

    /** Limit on registered candidates; a further one replaces the oldest. */
    static final int MAX_REGISTERED = 4;

    private final RolloutMode mode;
    private final Comparisons comparisons;
    private final PropensityAudit audit;
    private final ShareSchedule shares;

    private Rollout rollout;
    private long sequence;
    private long turnsWithoutPromotion;
    private long turnExamples;
    private boolean shareIsFixed; // by a person
    private OptionalLong waiting;

    RolloutTransitions(
            RolloutMode mode,
            Comparisons comparisons,
            PropensityAudit audit,
            ShareSchedule shares,
            GateState state) {
        this.mode = mode;
        this.comparisons = comparisons;
        this.audit = audit;
        this.shares = shares;
        this.rollout = state.rollout();
        this.sequence = state.sequence();
        this.turnsWithoutPromotion = state.turnsWithoutPromotion();
        this.turnExamples = state.turnExamples();
        this.shareIsFixed = state.shareIsFixed();
        this.waiting = state.waiting();
    }

    /**
     * Compares the candidate that is waiting with the active version.
     *
     * @param share share of the events that it decides meanwhile
     */
    RolloutChange compareWaiting(double share, String reason) {
        long candidate = waiting.orElseThrow();
        waiting = OptionalLong.empty();
        startTurn(candidate, 0); // the learner froze it before the examples that follow
        return moveTo(
                withShare(candidate, share),
                RolloutChange.Kind.CANDIDATE,
                "version %d %s".formatted(candidate, reason));
    }

    private Rollout withShare(long candidate, double share) {
        return share > 0.0 ? rollout.canary(candidate, share) : rollout.shadow(candidate);
    }

    /** The candidate that is waiting takes the place of an older one; their comparison goes on. */
    RolloutChange replaceCandidate() {
        long candidate = waiting.orElseThrow();
        waiting = OptionalLong.empty();
        return moveTo(
                withShare(candidate, rollout.share()),
                RolloutChange.Kind.CANDIDATE,
                "version %d replaces version %d; the comparison goes on"
                        .formatted(candidate, rollout.candidateVersion().orElseThrow()));
    }

    /** Starts the comparison of candidates again, with a turn that is twice as long. */
    void restartTurn() {
        turnsWithoutPromotion++;
        turnExamples = 0;
        comparisons.restartCandidate();
    }

    /** Gives the candidate another share of the events, as the gate decides. */
    RolloutChange changeShare(double share, String reason) {
        return moveTo(
                withShare(rollout.candidateVersion().orElseThrow(), share),
                RolloutChange.Kind.CANARY,
                reason,
                comparisons.candidate().flatMap(this::bounds));
    }

    /** Limits a share that the gate has chosen, because the spec has changed. */
    void limitShare(double maxShare) {
        if (rollout.stage() == Stage.CANARY && !shareIsFixed && rollout.share() > maxShare) {
            rollout = withShare(rollout.candidateVersion().orElseThrow(), maxShare);
        }
    }

    /** Ends the share of a candidate, whoever gave it, because no version decides any more. */
    void endShare() {
        if (shareIsFixed) {
            shareIsFixed = false;
            comparisons.endCandidate();
            rollout = rollout.withoutCandidate();
        }
        limitShare(0.0);
    }

    /** Whether no version decides. */
    boolean isApprentice() {
        return mode == RolloutMode.APPRENTICE;
    }

    private void startTurn(long candidate, long sinceMs) {
        comparisons.endCandidate();
        comparisons.compare(candidate, sinceMs);
        turnExamples = 0;
        shareIsFixed = false;
    }

    /**
     * Lets a version decide a share of the events, as a person asks.
     *
     * @param sinceMs only later decisions are used to compare it, unless its comparison runs
     *     already
     */
    RolloutChange startCanary(long candidate, double share, long sinceMs, String reason) {
        if (!rollout.isCandidate(candidate)) {
            if (comparisons.registered().containsKey(candidate)) {
                keepCandidate();
            }
            startTurn(candidate, sinceMs);
        }
        shareIsFixed = true;
        comparisons.watchCanary();
        if (waiting.isPresent() && waiting.getAsLong() == candidate) {
            waiting = OptionalLong.empty();
        }
        return moveTo(
                withShare(candidate, share).registered(comparisons.registeredVersions()),
                RolloutChange.Kind.CANARY,
                reason,
                comparisons.candidate().flatMap(this::bounds));
    }

    /** The comparison of a registered version continues; the turn of another one comes again. */
    private void keepCandidate() {
        OptionalLong version = rollout.candidateVersion();
        if (version.isPresent() && comparisons.candidateWasRegistered()) {
            comparisons.registerCandidate(version.getAsLong());
        } else if (waiting.isEmpty()) {
            waiting = version;
        }
    }

    RolloutChange endCanary(String reason) {
        shareIsFixed = false;
        comparisons.endCandidate();
        return moveTo(rollout.withoutCandidate(), RolloutChange.Kind.CANARY_ENDED, reason);
    }

    RolloutChange promote(long version, String reason, Optional<GateBounds> bounds) {
        endGeneration(version, !isOwn(version));
        if (mode == RolloutMode.GATED) {
            // Otherwise the comparison has no effect, but would use up δ.
            comparisons.watch();
        }
        return moveTo(
                rollout.registered(comparisons.registeredVersions()).promoted(version),
                RolloutChange.Kind.PROMOTED,
                reason,
                bounds);
    }

    /** Whether a version is a candidate that the loop has learned. */
    private boolean isOwn(long version) {
        return (rollout.isCandidate(version) && !comparisons.candidateWasRegistered())
                || waiting.equals(OptionalLong.of(version));
    }

    RolloutChange rollBack(long version, String reason) {
        endGeneration(version, true);
        return moveTo(
                rollout.registered(comparisons.registeredVersions()).rolledBackTo(version),
                RolloutChange.Kind.ROLLED_BACK,
                reason);
    }

    /** The candidates of a generation end with it, because their prior no longer logs. */
    private void endGeneration(long nextActive, boolean isGiven) {
        waiting = OptionalLong.empty();
        turnsWithoutPromotion = 0;
        turnExamples = 0;
        shareIsFixed = false;
        shares.restart(isGiven);
        audit.startGeneration();
        comparisons.endAll(nextActive);
    }

    RolloutChange register(long version, long timeMs, String reason) {
        List<Long> versions = comparisons.registeredVersions();
        String replaced = "";
        if (versions.size() == MAX_REGISTERED) {
            comparisons.withdraw(versions.get(0));
            replaced = "; it replaces version %d, the oldest".formatted(versions.get(0));
        }
        comparisons.register(version, timeMs);
        return moveTo(
                rollout.registered(comparisons.registeredVersions()),
                RolloutChange.Kind.REGISTERED,
                "version %d: %s%s".formatted(version, reason, replaced));
    }

    RolloutChange withdraw(long version, String reason) {
        comparisons.withdraw(version);
        return moveTo(
                rollout.registered(comparisons.registeredVersions()),
                RolloutChange.Kind.WITHDRAWN,
                "version %d: %s".formatted(version, reason));
    }

    RolloutChange closeGate(String reason) {
        limitShare(0.0); // the gate cannot see what a candidate costs
        return moveTo(rollout.closed(Optional.of(reason)), RolloutChange.Kind.GATE_CLOSED, reason);
    }

    RolloutChange openGate(String reason) {
        comparisons.restart();
        return moveTo(rollout.closed(Optional.empty()), RolloutChange.Kind.GATE_OPENED, reason);
    }

    RolloutChange pause(String reason) {
        return moveTo(rollout.paused(true), RolloutChange.Kind.PAUSED, reason);
    }

    RolloutChange resume(String reason) {
        return moveTo(rollout.paused(false), RolloutChange.Kind.RESUMED, reason);
    }

    RolloutChange refuse(String reason) {
        return note(RolloutChange.Kind.REFUSED, reason, Optional.empty());
    }

    /** Records a change that does not affect which version decides. */
    RolloutChange note(RolloutChange.Kind kind, String reason, Optional<GateBounds> bounds) {
        return moveTo(rollout, kind, reason, bounds);
    }

    private RolloutChange moveTo(Rollout next, RolloutChange.Kind kind, String reason) {
        return moveTo(next, kind, reason, Optional.empty());
    }

    /** The only method that changes the stage. */
    private RolloutChange moveTo(
            Rollout next, RolloutChange.Kind kind, String reason, Optional<GateBounds> bounds) {
        rollout = next;
        sequence++;
        return new RolloutChange(sequence, kind, next, reason, bounds);
    }

    void offer(long version) {
        waiting = OptionalLong.of(version);
    }

    void addTurnExample() {
        turnExamples++;
    }

    /**
     * Whether the candidate has had its turn, which doubles each time. Restarts of its comparison
     * do not extend it.
     */
    boolean turnIsOver(long candidateExamples) {
        int doublings = (int) Math.min(turnsWithoutPromotion, Long.SIZE - 2);
        return turnExamples >> doublings >= candidateExamples;
    }

    /** Whether a person has set the share of the candidate. */
    boolean shareIsFixed() {
        return shareIsFixed;
    }

    /** The bounds of a comparison, unless the gate is closed. */
    Optional<GateBounds> bounds(PolicyComparison comparison) {
        return audit.isClosed() ? Optional.empty() : Optional.of(comparison.bounds());
    }

    Rollout rollout() {
        return rollout;
    }

    /** The newest candidate, if it is waiting for its turn. */
    OptionalLong waiting() {
        return waiting;
    }

    GateState state(long ruleSince) {
        return new GateState(
                rollout,
                sequence,
                comparisons.comparedSoFar(),
                comparisons.watchedSoFar(),
                turnsWithoutPromotion,
                turnExamples,
                shareIsFixed,
                shares.isGiven(),
                shares.gain(),
                shares.guardrailGain(),
                ruleSince,
                audit.cleanExamples(),
                audit.cleanExamplesLeft(),
                audit.trusted(),
                waiting,
                comparisons.candidate().map(PolicyComparison::state),
                comparisons.registered().values().stream().map(PolicyComparison::state).toList(),
                comparisons.watched().map(PolicyComparison::state),
                comparisons.canary().map(PolicyComparison::state));
    }
}
