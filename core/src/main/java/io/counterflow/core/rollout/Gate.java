package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides which version of a loop is active, and keeps every reason. Not thread safe.
 *
 * <p>In gated mode the newest candidate, frozen, is judged on what the active version logs from
 * then on, and promoted when it is surely better ({@link PolicyComparison}). Candidate j of a loop
 * may spend δ<sub>j</sub> ({@link Comparisons}), so that with probability at least 1 − δ the loop
 * never promotes a worse one, however long it runs. A candidate that has not passed after its turn
 * gives way to a newer one. A promoted version is watched in the same way: where the one before it,
 * judged on what the new one logs, is surely better, the gate rolls back; that has a δ of its own.
 *
 * <p>A canary decides a share of the events. It goes on being judged on what the active version
 * logs, and is watched on what it logs itself; newer candidates wait until it has ended.
 *
 * <p>The gate sees numbers only; whoever holds the models computes the weights.
 */
public final class Gate {

    private final RolloutMode mode;
    private final double canaryShare;
    private final long candidateExamples;
    private final boolean automaticRollback;
    private final Comparisons comparisons;

    private Rollout rollout;
    private long sequence;
    private OptionalLong waiting;

    private Gate(LoopSpec spec, GateState state) {
        this.mode = spec.get(LoopSettings.ROLLOUT_MODE);
        this.canaryShare = spec.get(LoopSettings.CANARY_SHARE);
        this.candidateExamples = spec.get(LoopSettings.CANDIDATE_EXAMPLES);
        this.automaticRollback = spec.get(LoopSettings.AUTOMATIC_ROLLBACK);
        this.comparisons = new Comparisons(spec.get(LoopSettings.DELTA), state);
        this.rollout = state.rollout();
        this.sequence = state.sequence();
        this.waiting = state.waiting();
    }

    /** A loop that starts with the version that its spec names. */
    public static Gate start(LoopSpec spec) {
        return new Gate(spec, GateState.start(spec.startingVersion()));
    }

    /**
     * Continues from a stored state. The spec may be another one: comparisons that have begun keep
     * their δ, and a version that was promoted in another mode is not watched.
     */
    public static Gate restore(LoopSpec spec, GateState state) {
        return new Gate(spec, state);
    }

    /** Takes a new candidate, frozen before the examples that follow. */
    public Optional<RolloutChange> offer(long version) {
        waiting = OptionalLong.of(version);
        return advance();
    }

    /**
     * Adds an example. Examples are added in order. Examples of other versions than the active one
     * and the canary change nothing. Allocates nothing where nothing changes.
     *
     * @param loggedBy the version that decided
     * @param candidateWeight the candidate's π(a|x)/p; any number if there is no candidate
     * @param activeWeight the active version's; used on what a canary logged, elsewhere it is one
     * @param previousWeight that of the version before; any number if there is none
     * @param reward r in [0, 1]
     */
    public Optional<RolloutChange> observe(
            long loggedBy,
            double candidateWeight,
            double activeWeight,
            double previousWeight,
            double reward) {
        Require.reward(reward);
        if (loggedBy == rollout.activeVersion()) {
            comparisons.addOfActive(candidateWeight, previousWeight, reward);
        } else if (isCandidate(loggedBy)) {
            comparisons.addOfCanary(activeWeight, reward);
        }
        return advance();
    }

    private boolean isCandidate(long version) {
        return rollout.candidateVersion().isPresent()
                && rollout.candidateVersion().getAsLong() == version;
    }

    /** What the mode asks for at this moment. */
    private Optional<RolloutChange> advance() {
        if (rollout.paused()) {
            return Optional.empty();
        }
        return switch (mode) {
            case GATED -> advanceByData();
            case IMMEDIATE ->
                    waiting.isPresent()
                            ? Optional.of(
                                    promote(
                                            waiting.getAsLong(),
                                            "each candidate becomes the logging policy",
                                            Optional.empty()))
                            : Optional.empty();
            case MANUAL ->
                    waiting.isPresent() && rollout.stage() != Stage.CANARY
                            ? Optional.of(judge(waiting.getAsLong(), "waits for a person"))
                            : Optional.empty();
        };
    }

    private Optional<RolloutChange> advanceByData() {
        if (automaticRollback && isDecided(comparisons.canary())) {
            return Optional.of(
                    endCanary(
                            "the canary is worse than the active version"
                                    + margin(comparisons.canary()),
                            bounds(comparisons.canary())));
        }
        if (automaticRollback && isDecided(comparisons.watched())) {
            long previous = rollout.previousVersion().orElseThrow();
            String reason = "version %d was better than %d".formatted(previous, active());
            return Optional.of(
                    rollBack(
                            previous,
                            reason + margin(comparisons.watched()),
                            bounds(comparisons.watched())));
        }
        if (isDecided(comparisons.judged())) {
            Optional<RolloutChange> passed = pass(rollout.candidateVersion().orElseThrow());
            if (passed.isPresent()) {
                return passed;
            }
        }
        if (waiting.isEmpty() || rollout.stage() == Stage.CANARY) {
            return Optional.empty(); // a newer candidate waits for the end of the canary
        }
        if (comparisons.judged().isEmpty()) {
            return Optional.of(judge(waiting.getAsLong(), "is judged from here on"));
        }
        return turnIsOver(comparisons.judged().get())
                ? Optional.of(
                        judge(
                                waiting.getAsLong(),
                                "takes the place of version %d, which has not passed in its turn"
                                        .formatted(rollout.candidateVersion().orElseThrow())))
                : Optional.empty();
    }

    /** What follows for a candidate that is surely better: a share of the events, or all. */
    private Optional<RolloutChange> pass(long candidate) {
        Optional<PolicyComparison> canary = comparisons.canary();
        if (canary.isPresent() && !turnIsOver(canary.get())) {
            return Optional.empty();
        }
        String reason =
                "version %d is better than %d".formatted(candidate, active())
                        + margin(comparisons.judged());
        return Optional.of(
                canary.isEmpty() && canaryShare < 1.0
                        ? startCanary(candidate, canaryShare, reason)
                        : promote(candidate, reason, bounds(comparisons.judged())));
    }

    private boolean turnIsOver(PolicyComparison comparison) {
        return comparison.count() >= candidateExamples;
    }

    private static boolean isDecided(Optional<PolicyComparison> comparison) {
        return comparison.isPresent() && comparison.get().challengerIsBetter();
    }

    private static Optional<GateBounds> bounds(Optional<PolicyComparison> comparison) {
        return comparison.map(PolicyComparison::bounds);
    }

    private static String margin(Optional<PolicyComparison> comparison) {
        GateBounds bounds = comparison.orElseThrow().bounds();
        return String.format( // the same words on every machine
                Locale.ROOT,
                " by at least %.4f, surely to %.3g, after %d examples",
                bounds.differenceLower(),
                bounds.delta(),
                bounds.examples());
    }

    /** Does what a person asks, paused or not, or says why it cannot be done. */
    public RolloutChange command(RolloutCommand command) {
        return switch (command.action()) {
            case PROMOTE -> promoteAsAsked(command);
            case CANARY -> canaryAsAsked(command);
            case ROLLBACK -> rollBackAsAsked(command);
            case PAUSE ->
                    rollout.paused()
                            ? refuse("automatic changes are paused already")
                            : pause(true, RolloutChange.Kind.PAUSED, command.reason());
            case RESUME ->
                    rollout.paused()
                            ? pause(false, RolloutChange.Kind.RESUMED, command.reason())
                            : refuse("automatic changes are not paused");
        };
    }

    private RolloutChange promoteAsAsked(RolloutCommand command) {
        OptionalLong version = asked(command);
        if (version.isEmpty()) {
            return refuse("there is no candidate to promote");
        }
        if (version.getAsLong() == active()) {
            return refuse("version %d is active already".formatted(active()));
        }
        return promote(
                version.getAsLong(),
                command.reason(),
                isCandidate(version.getAsLong()) ? bounds(comparisons.judged()) : Optional.empty());
    }

    private RolloutChange canaryAsAsked(RolloutCommand command) {
        OptionalLong version = asked(command);
        if (version.isEmpty()) {
            return refuse("there is no candidate for a canary");
        }
        if (version.getAsLong() == active()) {
            return refuse("version %d is active already".formatted(active()));
        }
        return startCanary(version.getAsLong(), command.share().orElseThrow(), command.reason());
    }

    private RolloutChange rollBackAsAsked(RolloutCommand command) {
        OptionalLong version = command.version();
        boolean dropsCanary =
                rollout.stage() == Stage.CANARY
                        && (version.isEmpty() || version.getAsLong() == active());
        if (dropsCanary) {
            return endCanary(command.reason(), bounds(comparisons.canary()));
        }
        OptionalLong target = version.isPresent() ? version : rollout.previousVersion();
        if (target.isEmpty()) {
            return refuse("there is no version before to return to");
        }
        if (target.getAsLong() == active()) {
            return refuse("version %d is active already".formatted(active()));
        }
        return rollBack(target.getAsLong(), command.reason(), bounds(comparisons.watched()));
    }

    /** The version that is meant: the one named, or else the newest candidate. */
    private OptionalLong asked(RolloutCommand command) {
        if (command.version().isPresent()) {
            return command.version();
        }
        return waiting.isPresent() ? waiting : rollout.candidateVersion();
    }

    private RolloutChange judge(long candidate, String reason) {
        waiting = OptionalLong.empty();
        Optional<GateBounds> ofReplaced = bounds(comparisons.judged());
        comparisons.judge();
        return moveTo(
                rollout.shadow(candidate),
                RolloutChange.Kind.CANDIDATE,
                "version %d %s".formatted(candidate, reason),
                ofReplaced);
    }

    private RolloutChange startCanary(long candidate, double share, String reason) {
        if (!isCandidate(candidate)) {
            comparisons.endCandidate();
            comparisons.judge();
        }
        if (comparisons.canary().isEmpty()) {
            comparisons.watchCanary();
        }
        if (waiting.isPresent() && waiting.getAsLong() == candidate) {
            waiting = OptionalLong.empty();
        }
        return moveTo(
                rollout.canary(candidate, share),
                RolloutChange.Kind.CANARY,
                reason,
                bounds(comparisons.judged()));
    }

    private RolloutChange promote(long version, String reason, Optional<GateBounds> bounds) {
        endGeneration();
        if (mode == RolloutMode.GATED) {
            // Elsewhere nobody acts on it, and each version would leave less of δ to the next.
            comparisons.watch();
        }
        return moveTo(rollout.promoted(version), RolloutChange.Kind.PROMOTED, reason, bounds);
    }

    private RolloutChange rollBack(long version, String reason, Optional<GateBounds> bounds) {
        endGeneration();
        return moveTo(
                rollout.rolledBackTo(version), RolloutChange.Kind.ROLLED_BACK, reason, bounds);
    }

    /** Candidates of a generation, judged or waiting, end with it: their prior logs no more. */
    private void endGeneration() {
        waiting = OptionalLong.empty();
        comparisons.endAll();
    }

    private RolloutChange endCanary(String reason, Optional<GateBounds> bounds) {
        comparisons.endCandidate();
        return moveTo(rollout.withoutCandidate(), RolloutChange.Kind.CANARY_ENDED, reason, bounds);
    }

    private RolloutChange pause(boolean paused, RolloutChange.Kind kind, String reason) {
        return moveTo(rollout.paused(paused), kind, reason, Optional.empty());
    }

    private RolloutChange refuse(String reason) {
        return note(RolloutChange.Kind.REFUSED, reason);
    }

    /** Puts something on record that changes nothing about which version decides. */
    public RolloutChange note(RolloutChange.Kind kind, String reason) {
        return moveTo(rollout, kind, reason, Optional.empty());
    }

    /** The only place where a stage changes. */
    private RolloutChange moveTo(
            Rollout next, RolloutChange.Kind kind, String reason, Optional<GateBounds> bounds) {
        rollout = next;
        sequence++;
        return new RolloutChange(sequence, kind, next, reason, bounds);
    }

    private long active() {
        return rollout.activeVersion();
    }

    /** Which versions decide at this moment. */
    public Rollout rollout() {
        return rollout;
    }

    /** The newest candidate, where it waits for its turn. */
    public OptionalLong waiting() {
        return waiting;
    }

    /** What is known of the candidate at this moment; empty if there is none. */
    public Optional<GateBounds> candidateBounds() {
        return bounds(comparisons.judged());
    }

    /** The state to store. */
    public GateState state() {
        return new GateState(
                rollout,
                sequence,
                comparisons.judgedSoFar(),
                comparisons.watchedSoFar(),
                waiting,
                comparisons.judged().map(PolicyComparison::state),
                comparisons.watched().map(PolicyComparison::state),
                comparisons.canary().map(PolicyComparison::state));
    }
}
