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

    private Rollout rollout;
    private long sequence;
    private long turnsWithoutPromotion;
    private long turnExamples;
    private OptionalLong waiting;

    RolloutTransitions(
            RolloutMode mode, Comparisons comparisons, PropensityAudit audit, GateState state) {
        this.mode = mode;
        this.comparisons = comparisons;
        this.audit = audit;
        this.rollout = state.rollout();
        this.sequence = state.sequence();
        this.turnsWithoutPromotion = state.turnsWithoutPromotion();
        this.turnExamples = state.turnExamples();
        this.waiting = state.waiting();
    }

    /** Compares the candidate that is waiting with the active version. */
    RolloutChange compareWaiting(String reason) {
        long candidate = waiting.orElseThrow();
        waiting = OptionalLong.empty();
        startTurn(candidate, 0); // the learner froze it before the examples that follow
        return moveTo(
                rollout.shadow(candidate),
                RolloutChange.Kind.CANDIDATE,
                "version %d %s".formatted(candidate, reason));
    }

    /** Compares the candidate that is waiting in the place of the one that had its turn. */
    RolloutChange replaceCandidate() {
        turnsWithoutPromotion++;
        return compareWaiting(
                "replaces version %d, which was not promoted in its turn"
                        .formatted(rollout.candidateVersion().orElseThrow()));
    }

    private void startTurn(long candidate, long sinceMs) {
        comparisons.endCandidate();
        comparisons.compare(candidate, sinceMs);
        turnExamples = 0;
    }

    /**
     * Lets a version decide a share of the events.
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
        if (comparisons.canary().isEmpty()) {
            comparisons.watchCanary();
        }
        if (waiting.isPresent() && waiting.getAsLong() == candidate) {
            waiting = OptionalLong.empty();
        }
        return moveTo(
                rollout.registered(comparisons.registeredVersions()).canary(candidate, share),
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
        comparisons.endCandidate();
        return moveTo(rollout.withoutCandidate(), RolloutChange.Kind.CANARY_ENDED, reason);
    }

    RolloutChange promote(long version, String reason, Optional<GateBounds> bounds) {
        endGeneration(version);
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

    RolloutChange rollBack(long version, String reason) {
        endGeneration(version);
        return moveTo(
                rollout.registered(comparisons.registeredVersions()).rolledBackTo(version),
                RolloutChange.Kind.ROLLED_BACK,
                reason);
    }

    /** The candidates of a generation end with it, because their prior no longer logs. */
    private void endGeneration(long nextActive) {
        waiting = OptionalLong.empty();
        turnsWithoutPromotion = 0;
        turnExamples = 0;
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
     * do not extend it. The turn of a canary is over at the latest when it has decided enough
     * events.
     */
    boolean turnIsOver(long candidateExamples) {
        int doublings = (int) Math.min(turnsWithoutPromotion, Long.SIZE - 2);
        return turnExamples >> doublings >= candidateExamples
                || (comparisons.canary().isPresent()
                        && comparisons.canary().get().count() >= candidateExamples);
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
