package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides which version of a loop is active, and records the reasons. Not thread safe.
 *
 * <p>In gated mode the newest candidate is compared with the active version on the events that the
 * active version logs afterwards, and is promoted if it is better with confidence ({@link
 * PolicyComparison}). Candidate j of a loop uses δ<sub>j</sub> ({@link Comparisons}), so that with
 * probability at least 1 − δ the loop never promotes a worse candidate, however long it runs. A
 * candidate that is not promoted within its turn is replaced by a newer one. A promoted version is
 * watched in the same way: if the previous version is better with confidence on the events of the
 * new one, the gate rolls back. This uses a separate δ.
 *
 * <p>A canary decides a share of the events. It is still compared on the events of the active
 * version, and watched on its own events. Newer candidates wait until it ends.
 *
 * <p>The gate uses numbers only; the caller computes the weights.
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

    /** The gate of a new loop. */
    public static Gate start(LoopSpec spec) {
        return new Gate(spec, GateState.start(spec.startingVersion()));
    }

    /**
     * Continues from a stored state. The spec may have changed: running comparisons keep their δ,
     * and a version that was promoted in another mode is not watched.
     */
    public static Gate restore(LoopSpec spec, GateState state) {
        return new Gate(spec, state);
    }

    /** Adds a new candidate, which was frozen before the examples that follow. */
    public Optional<RolloutChange> offer(long version) {
        waiting = OptionalLong.of(version);
        return advance();
    }

    /**
     * Adds an example. Examples are added in order. Examples of other versions than the active one
     * and the canary are ignored. Allocates nothing if nothing changes.
     *
     * @param loggedBy the version that decided
     * @param candidateWeight the candidate's π(a|x)/p; any number if there is no candidate
     * @param activeWeight that of the active version; used only for events of a canary, otherwise
     *     it is one
     * @param previousWeight that of the previous version; any number if there is none
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

    /** The change that the mode requires now, if any. */
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
            return Optional.empty(); // a newer candidate waits until the canary ends
        }
        if (comparisons.judged().isEmpty()) {
            return Optional.of(judge(waiting.getAsLong(), "is compared with the active version"));
        }
        return turnIsOver(comparisons.judged().get())
                ? Optional.of(
                        judge(
                                waiting.getAsLong(),
                                "replaces version %d, which was not promoted in its turn"
                                        .formatted(rollout.candidateVersion().orElseThrow())))
                : Optional.empty();
    }

    /** The change for a candidate that is better: a share of the events, or all. */
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
        return String.format( // the same text on every machine
                Locale.ROOT,
                " by at least %.4f, with error probability %.3g, after %d examples",
                bounds.differenceLower(),
                bounds.delta(),
                bounds.examples());
    }

    /** Executes a command, even if paused, or reports why it is not possible. */
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
            return refuse("there is no previous version to return to");
        }
        if (target.getAsLong() == active()) {
            return refuse("version %d is active already".formatted(active()));
        }
        return rollBack(target.getAsLong(), command.reason(), bounds(comparisons.watched()));
    }

    /** The version of a command: the given one or, by default, the newest candidate. */
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
            // Otherwise the comparison has no effect, but would use up δ.
            comparisons.watch();
        }
        return moveTo(rollout.promoted(version), RolloutChange.Kind.PROMOTED, reason, bounds);
    }

    private RolloutChange rollBack(long version, String reason, Optional<GateBounds> bounds) {
        endGeneration();
        return moveTo(
                rollout.rolledBackTo(version), RolloutChange.Kind.ROLLED_BACK, reason, bounds);
    }

    /** The candidates of a generation end with it, because their prior no longer logs. */
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

    /** Records a change that does not affect which version decides. */
    public RolloutChange note(RolloutChange.Kind kind, String reason) {
        return moveTo(rollout, kind, reason, Optional.empty());
    }

    /** The only method that changes the stage. */
    private RolloutChange moveTo(
            Rollout next, RolloutChange.Kind kind, String reason, Optional<GateBounds> bounds) {
        rollout = next;
        sequence++;
        return new RolloutChange(sequence, kind, next, reason, bounds);
    }

    private long active() {
        return rollout.activeVersion();
    }

    /** The current rollout. */
    public Rollout rollout() {
        return rollout;
    }

    /** The newest candidate, if it is waiting for its turn. */
    public OptionalLong waiting() {
        return waiting;
    }

    /** The current bounds of the candidate; empty if there is none. */
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
