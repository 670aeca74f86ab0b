package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DifferenceConfidenceSequence;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides which version of a loop is active, and records the reasons. Not thread safe.
 *
 * <p>In gated mode the newest candidate is compared with the active version on the events that the
 * active version logs afterwards, and is promoted if it is better with confidence ({@link
 * PolicyComparison}). The j-th comparison of a loop uses δ<sub>j</sub> ({@link Comparisons}), so
 * that with probability at least 1 − δ the loop never promotes a worse candidate, however long it
 * runs. Candidates take turns: one that is not promoted within its turn is replaced by a newer one,
 * whose turn is twice as long, so that small improvements are found in the end. A candidate with
 * half of the necessary evidence keeps its place. Registered candidates are compared at the same
 * time and have no turn. A promoted version is watched in the same way: if the previous version is
 * better with confidence on the events of the new one, the gate rolls back. This uses a separate δ.
 *
 * <p>A canary decides a share of the events. It is still compared on the events of the active
 * version, and watched on its own events. Newer candidates wait until it ends.
 *
 * <p>Decisions need correct propensities of policies that are served now. An example that was
 * decided under another decision rule is ignored. A propensity that is an estimate, that differs
 * from the recomputed one, or a mean weight that is not one closes the gate. It opens after {@value
 * #CLEAN_EXAMPLES} correct propensities in a row, and all comparisons start again.
 *
 * <p>The gate uses numbers only; the caller computes the probabilities.
 */
public final class Gate {

    /** Number of correct propensities in a row that open a closed gate. */
    public static final long CLEAN_EXAMPLES = 1_000;

    /** Limit on registered candidates; a further one replaces the oldest. */
    public static final int MAX_REGISTERED = 4;

    /** Share of the necessary evidence with which a candidate keeps its place. */
    private static final double PROMISING = 0.5;

    /** Bounds are reported after this number of examples, twice as many, and so on. */
    private static final long FIRST_REPORT = 1_000;

    private final RolloutMode mode;
    private final double canaryShare;
    private final long candidateExamples;
    private final double minimumGain;
    private final boolean automaticRollback;
    private final Comparisons comparisons;

    private Rollout rollout;
    private long sequence;
    private long turnsWithoutPromotion;
    private long ruleSince;
    private long cleanExamplesLeft;
    private boolean trusted;
    private long turnExamples;
    private OptionalLong waiting;

    private Gate(LoopSpec spec, GateState state) {
        this.mode = spec.get(LoopSettings.ROLLOUT_MODE);
        this.canaryShare = spec.get(LoopSettings.CANARY_SHARE);
        this.candidateExamples = spec.get(LoopSettings.CANDIDATE_EXAMPLES);
        this.minimumGain = spec.get(LoopSettings.MINIMUM_GAIN);
        this.automaticRollback = spec.get(LoopSettings.AUTOMATIC_ROLLBACK);
        this.comparisons = new Comparisons(spec.get(LoopSettings.DELTA), state);
        this.rollout = state.rollout();
        this.sequence = state.sequence();
        this.turnsWithoutPromotion = state.turnsWithoutPromotion();
        this.ruleSince = state.ruleSince();
        this.cleanExamplesLeft = state.cleanExamplesLeft();
        this.trusted = state.trusted();
        this.turnExamples = state.turnExamples();
        this.waiting = state.waiting();
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
     * anew. With a minimum gain the size of a difference matters, so they start again.
     */
    public Gate changedTo(LoopSpec before, LoopSpec after) {
        Gate changed = new Gate(after, state());
        boolean sameRule = before.decisionRule().equals(after.decisionRule());
        boolean sameWorld = hasSameRewardsAndFeatures(before, after);
        if (!sameRule || !sameWorld) {
            changed.ruleSince = after.version();
        }
        boolean newGain = changed.minimumGain != minimumGain && changed.minimumGain != 0.0;
        boolean newFloor =
                !sameRule && before.decisionRule().differsOnlyInFloor(after.decisionRule());
        if (!sameWorld || newGain || (!sameRule && !newFloor)) {
            changed.comparisons.restart();
        } else if (newFloor) {
            if (changed.minimumGain == 0.0) {
                changed.comparisons.restartValues();
            } else {
                changed.comparisons.restart();
            }
        }
        return changed;
    }

    private static boolean hasSameRewardsAndFeatures(LoopSpec before, LoopSpec after) {
        return before.rewardRule().equals(after.rewardRule())
                && before.shape().equals(after.shape())
                && before.get(LoopSettings.NORM_BOUND).equals(after.get(LoopSettings.NORM_BOUND));
    }

    /** Adds a new candidate, which was frozen before the examples that follow. */
    public Optional<RolloutChange> offer(long version) {
        waiting = OptionalLong.of(version);
        return advance();
    }

    /**
     * Adds a candidate that was learned elsewhere.
     *
     * @param timeMs when it was registered. It may have been learned from earlier decisions whose
     *     examples have not arrived yet, so only later ones are used to compare it.
     */
    public RolloutChange register(long version, long timeMs, String reason) {
        if (mode == RolloutMode.IMMEDIATE) {
            return refuse("candidates are not compared in immediate mode");
        }
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
                "version %d: %s%s".formatted(version, reason, replaced),
                Optional.empty());
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
        boolean ofCanary = !split && isCandidate(example.loggedBy());
        boolean ofActive = split || example.loggedBy() == rollout.activeVersion();
        if (!ofActive && !ofCanary) {
            return advance();
        }
        turnExamples++;
        if (example.evidence() == ComparedExample.Evidence.INEXACT) {
            return close("a logged propensity is an estimate");
        }
        if (example.evidence() == ComparedExample.Evidence.OTHER_RULE) {
            trusted = false; // it is in the buffer, but its propensity cannot be checked
            return advance();
        }
        if (example.isMismatch()) {
            // One of the two policies of a split may have been replaced since the decision.
            return split ? advance() : close("a logged propensity differs from the recomputed one");
        }
        if (isClosed()) {
            cleanExamplesLeft--;
            return cleanExamplesLeft == 0 ? Optional.of(open()) : advance();
        }
        long before = candidateCount();
        if (ofCanary) {
            comparisons.addOfCanary(example);
        } else if (example.maxHolderWeight() <= DifferenceConfidenceSequence.MAX_HOLDER_WEIGHT) {
            comparisons.addOfActive(example);
        }
        if (comparisons.showWrongPropensities()) {
            return close("the mean importance weight of a candidate is not 1");
        }
        Optional<RolloutChange> change = advance();
        return change.isEmpty() && candidateCount() > before ? report() : change;
    }

    private long candidateCount() {
        return comparisons.candidate().isPresent() ? comparisons.candidate().get().count() : 0;
    }

    private boolean isCandidate(long version) {
        return rollout.candidateVersion().isPresent()
                && rollout.candidateVersion().getAsLong() == version;
    }

    private boolean isClosed() {
        return cleanExamplesLeft > 0;
    }

    private Optional<RolloutChange> close(String reason) {
        boolean wasOpen = !isClosed();
        cleanExamplesLeft = CLEAN_EXAMPLES;
        trusted = false;
        return wasOpen
                ? Optional.of(
                        moveTo(
                                rollout.closed(Optional.of(reason)),
                                RolloutChange.Kind.GATE_CLOSED,
                                reason,
                                Optional.empty()))
                : advance();
    }

    private RolloutChange open() {
        comparisons.restart();
        return moveTo(
                rollout.closed(Optional.empty()),
                RolloutChange.Kind.GATE_OPENED,
                "the last %d propensities are correct; comparisons start again"
                        .formatted(CLEAN_EXAMPLES),
                Optional.empty());
    }

    /** The bounds of the candidate, if it is time to report them. */
    private Optional<RolloutChange> report() {
        long n = candidateCount();
        if (n % FIRST_REPORT != 0 || Long.bitCount(n / FIRST_REPORT) != 1) {
            return Optional.empty();
        }
        return Optional.of(
                moveTo(
                        rollout,
                        RolloutChange.Kind.COMPARED,
                        "version %d is compared with %d: better%s"
                                .formatted(
                                        rollout.candidateVersion().orElseThrow(),
                                        active(),
                                        margin(comparisons.candidate().orElseThrow())),
                        candidateBounds()));
    }

    /** The change that the mode requires now, if any. */
    private Optional<RolloutChange> advance() {
        if (rollout.paused()) {
            return Optional.empty();
        }
        return switch (mode) {
            case GATED -> isClosed() ? Optional.empty() : advanceByData();
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
        if (automaticRollback && isBetter(comparisons.canary())) {
            return Optional.of(
                    endCanary(
                            "the canary is worse than the active version"
                                    + margin(comparisons.canary().orElseThrow())));
        }
        if (automaticRollback && isBetter(comparisons.watched())) {
            long previous = rollout.previousVersion().orElseThrow();
            String reason = "version %d was better than %d".formatted(previous, active());
            return Optional.of(
                    rollBack(previous, reason + margin(comparisons.watched().orElseThrow())));
        }
        Optional<RolloutChange> passed = advanceBetterCandidate();
        if (passed.isPresent() || waiting.isEmpty()) {
            return passed;
        }
        Optional<PolicyComparison> candidate = comparisons.candidate();
        if (candidate.isEmpty()) {
            return Optional.of(judge(waiting.getAsLong(), "is compared with the active version"));
        }
        if (!turnIsOver() || candidate.get().evidence(minimumGain) >= PROMISING) {
            return Optional.empty();
        }
        turnsWithoutPromotion++;
        return Optional.of(
                judge(
                        waiting.getAsLong(),
                        "replaces version %d, which was not promoted in its turn"
                                .formatted(rollout.candidateVersion().orElseThrow())));
    }

    /** Promotes a candidate that is better with confidence, or lets it decide a share. */
    private Optional<RolloutChange> advanceBetterCandidate() {
        Optional<PolicyComparison> candidate = comparisons.candidate();
        if (candidate.isPresent() && candidate.get().isBetterBy(minimumGain)) {
            Optional<RolloutChange> passed =
                    pass(rollout.candidateVersion().orElseThrow(), candidate.get());
            if (passed.isPresent()) {
                return passed;
            }
        }
        boolean canaryHasItsTurn = rollout.stage() == Stage.CANARY && !turnIsOver();
        if (canaryHasItsTurn || comparisons.registered().isEmpty()) {
            return Optional.empty();
        }
        for (Map.Entry<Long, PolicyComparison> other : comparisons.registered().entrySet()) {
            if (other.getValue().isBetterBy(minimumGain)) {
                return rollout.stage() == Stage.CANARY
                        ? Optional.of(
                                endCanary(
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
                        ? startCanary(version, canaryShare, reason + margin(comparison))
                        : promote(version, reason + margin(comparison), bounds(comparison)));
    }

    /**
     * Whether the candidate has had its turn, which doubles each time. Restarts of its comparison
     * do not extend it. The turn of a canary is over at the latest when it has decided enough
     * events.
     */
    private boolean turnIsOver() {
        int doublings = (int) Math.min(turnsWithoutPromotion, Long.SIZE - 2);
        return turnExamples >> doublings >= candidateExamples
                || (comparisons.canary().isPresent()
                        && comparisons.canary().get().count() >= candidateExamples);
    }

    private static boolean isBetter(Optional<PolicyComparison> comparison) {
        return comparison.isPresent() && comparison.get().isBetterBy(0.0);
    }

    /** The bounds of a comparison, unless the gate is closed. */
    private Optional<GateBounds> bounds(PolicyComparison comparison) {
        return isClosed() ? Optional.empty() : Optional.of(comparison.bounds());
    }

    private static String margin(PolicyComparison comparison) {
        GateBounds bounds = comparison.bounds();
        return String.format( // the same text on every machine
                Locale.ROOT,
                " by at least %.4f, with error probability %.3g, after %d examples",
                bounds.differenceLower(),
                bounds.delta(),
                bounds.examples());
    }

    /**
     * Executes a command, even if paused, or reports why it is not possible. A policy is registered
     * with {@link #register} instead, because it needs a version.
     */
    public RolloutChange command(RolloutCommand command) {
        return switch (command.action()) {
            case PROMOTE -> promoteAsAsked(command);
            case CANARY -> canaryAsAsked(command);
            case ROLLBACK -> rollBackAsAsked(command);
            case REGISTER ->
                    throw new IllegalArgumentException("a registered policy needs a version");
            case WITHDRAW -> withdrawAsAsked(command);
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
                comparison(version.getAsLong()).flatMap(this::bounds));
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
            return endCanary(command.reason());
        }
        OptionalLong target = version.isPresent() ? version : rollout.previousVersion();
        if (target.isEmpty()) {
            return refuse("there is no previous version to return to");
        }
        if (target.getAsLong() == active()) {
            return refuse("version %d is active already".formatted(active()));
        }
        return rollBack(target.getAsLong(), command.reason());
    }

    private RolloutChange withdrawAsAsked(RolloutCommand command) {
        OptionalLong version = command.version();
        if (version.isEmpty() || !comparisons.registered().containsKey(version.getAsLong())) {
            return refuse("there is no such registered candidate");
        }
        comparisons.withdraw(version.getAsLong());
        return moveTo(
                rollout.registered(comparisons.registeredVersions()),
                RolloutChange.Kind.WITHDRAWN,
                "version %d: %s".formatted(version.getAsLong(), command.reason()),
                Optional.empty());
    }

    /** The comparison of a candidate, registered or not. */
    private Optional<PolicyComparison> comparison(long version) {
        return isCandidate(version)
                ? comparisons.candidate()
                : Optional.ofNullable(comparisons.registered().get(version));
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
        startTurn(candidate);
        return moveTo(
                rollout.shadow(candidate),
                RolloutChange.Kind.CANDIDATE,
                "version %d %s".formatted(candidate, reason),
                Optional.empty());
    }

    private void startTurn(long candidate) {
        comparisons.endCandidate();
        comparisons.judge(candidate);
        turnExamples = 0;
    }

    private RolloutChange startCanary(long candidate, double share, String reason) {
        if (!isCandidate(candidate)) {
            if (waiting.isEmpty() && comparisons.registered().containsKey(candidate)) {
                waiting = rollout.candidateVersion(); // its turn comes again
            }
            startTurn(candidate);
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
                candidateBounds());
    }

    private RolloutChange promote(long version, String reason, Optional<GateBounds> bounds) {
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

    private RolloutChange rollBack(long version, String reason) {
        endGeneration(version);
        return moveTo(
                rollout.registered(comparisons.registeredVersions()).rolledBackTo(version),
                RolloutChange.Kind.ROLLED_BACK,
                reason,
                Optional.empty());
    }

    /** The candidates of a generation end with it, because their prior no longer logs. */
    private void endGeneration(long nextActive) {
        waiting = OptionalLong.empty();
        turnsWithoutPromotion = 0;
        turnExamples = 0;
        trusted = !isClosed();
        comparisons.endAll(nextActive);
    }

    private RolloutChange endCanary(String reason) {
        comparisons.endCandidate();
        return moveTo(
                rollout.withoutCandidate(),
                RolloutChange.Kind.CANARY_ENDED,
                reason,
                Optional.empty());
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

    /** The current bounds of the candidate; empty if there is none, or the gate is closed. */
    public Optional<GateBounds> candidateBounds() {
        return comparisons.candidate().flatMap(this::bounds);
    }

    /** Whether no propensity of this generation was found to be wrong or inexact. */
    public boolean trusted() {
        return trusted;
    }

    /** The state to store. */
    public GateState state() {
        return new GateState(
                rollout,
                sequence,
                comparisons.judgedSoFar(),
                comparisons.watchedSoFar(),
                turnsWithoutPromotion,
                turnExamples,
                ruleSince,
                cleanExamplesLeft,
                trusted,
                waiting,
                comparisons.candidate().map(PolicyComparison::state),
                comparisons.registered().values().stream().map(PolicyComparison::state).toList(),
                comparisons.watched().map(PolicyComparison::state),
                comparisons.canary().map(PolicyComparison::state));
    }
}
