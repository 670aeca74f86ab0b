package io.counterflow.core.loop;

import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rewardmodel.RewardModelLearner;
import io.counterflow.core.rewardmodel.RewardModelState;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.SpecChange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Learns the policies of one loop, with LPR, a reward model or both. Examples must be added in
 * order. Not thread safe.
 *
 * <p>With both learners, the policy of the one that is better by the evidence of examples that it
 * has not learned from goes forward ({@link LearnerEvidence}).
 *
 * <p>A <em>generation</em> is the time between two changes of the logging policy. If a version is
 * promoted, LPR
 *
 * <ul>
 *   <li>starts again at its parameters, which are its new prior; steps after the policy was frozen
 *       are dropped;
 *   <li>clears the buffer, except for the mini-batch that is being filled, which has not been used
 *       yet;
 *   <li>keeps AdaGrad's state, so that steps do not become as large as the first ones.
 * </ul>
 *
 * <p>A version of the reward model is greedy, so LPR could learn nothing around it: gradients
 * vanish. If such a version is promoted, LPR goes on with its own prior and buffer. The reward
 * model does not depend on the logging policy and always goes on.
 *
 * <p>An example that was logged by another version than the active one is used for learning, with
 * its own propensity, but not for certificates.
 *
 * <p>The stored state is complete: a restart between any two examples does not change any bit.
 */
public final class LoopLearner {

    /** A certificate uses at most this many examples for each one since the last candidate, */
    private static final long CERTIFIED_PER_EXAMPLE = 10;

    /** or this many, so that certificates of frequent candidates do not cost more than learning. */
    private static final long MIN_CERTIFIED = 10_000;

    /** For a reward model, whose candidates get no bound: one for each example, or this many. */
    private static final long MIN_ESTIMATED = 1_000;

    private static final float[] NONE = new float[0];
    private static final ExampleLog NO_EXAMPLES = new ExampleLog();

    private final LoopSpec spec;
    private final long bufferBytes;
    private final LoopStorage storage;
    private final LinearModel shape; // with parameters zero
    private final Optional<LprLearner> lpr;
    private final Optional<RewardModelLearner> rewardModel;
    private final LearnerEvidence evidence;
    private final SnapshotClock clock;

    private long activeVersion;
    private long priorVersion; // of LPR
    private long latestVersion;
    private long received;
    private long learned; // in this generation, without LPR
    private long stepsAtSnapshot;
    private long certifiedFrom;

    private LoopLearner(LoopSpec spec, long bufferBytes, LoopStorage storage, LearnerState state) {
        LearnerProgress progress = state.progress();
        LearnerKind kind = spec.learner();
        this.spec = spec;
        this.bufferBytes = bufferBytes;
        this.storage = storage;
        this.shape = spec.shape().zeros();
        state.buffer().open().forEach(this::requireFit);
        this.lpr =
                kind.hasLpr()
                        ? Optional.of(new LprLearner(spec, bufferBytes, storage, state))
                        : Optional.empty();
        this.rewardModel =
                kind.hasRewardModel() ? Optional.of(rewardModel(state)) : Optional.empty();
        this.evidence = // not that of an earlier reward model
                new LearnerEvidence(
                        kind.hasRewardModel() && state.rewardModel().isPresent()
                                ? state.evidence()
                                : EvidenceState.START);
        this.clock = new SnapshotClock(progress);
        this.activeVersion = progress.activeVersion();
        this.priorVersion = progress.priorVersion();
        this.latestVersion = progress.latestVersion();
        this.received = progress.received();
        this.learned = progress.learned();
        this.stepsAtSnapshot = progress.stepsAtSnapshot();
        this.certifiedFrom = progress.certifiedFrom();
    }

    private RewardModelLearner rewardModel(LearnerState state) {
        return state.rewardModel().isPresent()
                ? RewardModelLearner.restore(spec.startingModel(), state.rewardModel().get())
                : RewardModelLearner.start(spec.startingModel());
    }

    /**
     * Creates a learner with the starting policy of a spec.
     *
     * @param bufferBytes maximum size of its buffer in bytes
     * @param storage stores the buffer
     */
    public static LoopLearner start(LoopSpec spec, long bufferBytes, LoopStorage storage) {
        boolean hasLpr = spec.learner().hasLpr();
        float[] parameters = hasLpr ? FlatParameters.of(spec.startingModel()) : NONE;
        return restore(
                spec,
                bufferBytes,
                storage,
                new LearnerState(
                        LearnerProgress.start(spec.startingVersion()),
                        parameters,
                        parameters,
                        new float[parameters.length],
                        BufferState.empty(),
                        Optional.empty(),
                        EvidenceState.START));
    }

    /**
     * Continues from a stored state.
     *
     * @param storage has the blocks of that state
     */
    public static LoopLearner restore(
            LoopSpec spec, long bufferBytes, LoopStorage storage, LearnerState state) {
        return new LoopLearner(spec, bufferBytes, storage, state);
    }

    /**
     * Refuses an example that this loop cannot learn from.
     *
     * @throws IllegalArgumentException if the example does not fit the loop's model
     */
    public void requireFit(LoggedExample example) {
        int actions = shape.actionCount(example.features());
        if (example.action() >= actions) {
            throw new IllegalArgumentException(
                    "action must be below %d, got %d".formatted(actions, example.action()));
        }
        example.allowed().requireWithin(actions);
    }

    /**
     * Compares the policies of the learners and of the active version on an example with a correct
     * propensity. Must be called before they learn from it.
     *
     * @param active π(a|x) of the active version
     */
    public void judge(LoggedExample example, double active) {
        if (rewardModel.isEmpty() || (lpr.isEmpty() && !keepsActive())) {
            return;
        }
        if (example.reward() == 0.0) {
            evidence.addUnrewarded();
            return;
        }
        double ofModel = served(rewardModel.get().greedyProbability(example), example);
        evidence.add(
                ofModel,
                lpr.isPresent() ? served(lpr.get().probability(example), example) : ofModel,
                active,
                example.propensity(),
                example.reward());
    }

    private double served(double probability, LoggedExample example) {
        DecisionRule rule = spec.decisionRule();
        int allowed = example.allowed().count(shape.actionCount(example.features()));
        return rule.softmaxShare() * probability + rule.explorationFloor() / allowed;
    }

    /**
     * Whether the active version decides until a learned one is ahead of it: a given starting
     * policy, or a version of LPR that a reward model would replace which was added to the spec
     * later. In other modes it is protected by a gate or a person.
     */
    private boolean keepsActive() {
        if (rewardModel.isEmpty()
                || activeVersion != priorVersion
                || spec.get(LoopSettings.ROLLOUT_MODE) != RolloutMode.IMMEDIATE) {
            return false;
        }
        RewardModelLearner model = rewardModel.get();
        return (model.hasOffset() && activeVersion == spec.startingVersion())
                || (model.examples() < received && usesRewardModel());
    }

    /**
     * Adds an example. If the example is refused, nothing changes.
     *
     * @param eventTimeMs the example's event time, at least 0
     * @throws IllegalArgumentException if the example does not fit the loop's model
     */
    public void learn(LoggedExample example, long eventTimeMs) {
        imitate(example, eventTimeMs);
        if (rewardModel.isPresent()) {
            rewardModel.get().learn(example);
        }
    }

    /**
     * Adds an example whose action was shown for certain, so that it shows nothing about the other
     * actions. Only LPR learns from it: what it maximises, π(a|x) r for the action a that was
     * shown, is never above the reward of π. A reward model would have to guess the other actions,
     * and would take the reasons that the caller has for its action, and that are not among the
     * features, for an effect of the action.
     *
     * @param eventTimeMs the example's event time, at least 0
     * @throws IllegalArgumentException if the example does not fit the loop's model
     */
    public void imitate(LoggedExample example, long eventTimeMs) {
        Require.atLeast(0, eventTimeMs, "eventTimeMs");
        requireFit(example);
        clock.tick(example.reward(), eventTimeMs);
        received++;
        if (lpr.isPresent()) {
            lpr.get().learn(example);
        } else {
            learned++;
        }
    }

    /** Leaves the examples so far out of certificates; the learner still uses them. */
    public void certifyLaterExamplesOnly() {
        certifiedFrom = received;
    }

    /** Whether the next candidate is a policy of the reward model. */
    private boolean usesRewardModel() {
        return rewardModel.isPresent()
                && !spec.isApprentice()
                && (lpr.isEmpty() || !evidence.prefersLpr());
    }

    /**
     * Whether it is time to {@link #freeze}: a candidate is due, it differs from the last one, and
     * it does not replace a version that it must be ahead of first.
     */
    public boolean snapshotDue() {
        if (keepsActive()) {
            return clock.due(spec) && differsFromLast() && evidence.isAheadOfActive();
        }
        boolean decidesAtOnce =
                usesRewardModel() && spec.get(LoopSettings.ROLLOUT_MODE) != RolloutMode.MANUAL;
        return decidesAtOnce
                ? clock.dueAtOnce(spec, rewardModel.orElseThrow().examples())
                : clock.due(spec) && differsFromLast();
    }

    /** Event time since the last candidate, or since the first example, in milliseconds. */
    public long sinceCandidateMs() {
        return clock.elapsedMs();
    }

    private boolean differsFromLast() {
        return usesRewardModel() || steps() > stepsAtSnapshot;
    }

    private long steps() {
        return lpr.isPresent() ? lpr.get().steps() : stepsAtSnapshot;
    }

    /**
     * Freezes the policy that goes forward, evaluates it on the buffer and resets the cadence. LPR
     * takes some further steps, of which its policy is the mean.
     *
     * @param bounded whether the propensities can be trusted, so that bounds hold
     */
    public Candidate freeze(boolean bounded) {
        boolean fromRewardModel = usesRewardModel();
        VersionParameters parameters =
                fromRewardModel ? frozen(rewardModel.orElseThrow()) : frozen(lpr.orElseThrow());
        Optional<Certificate> certificate = lpr.flatMap(it -> certificate(parameters, it, bounded));
        latestVersion++;
        restartClock();
        return new Candidate(
                latestVersion,
                activeVersion,
                parameters.model(),
                parameters.variance(),
                fromRewardModel,
                fromRewardModel ? rewardModel.orElseThrow().examples() : learned(),
                Optional.empty(),
                certificate);
    }

    private VersionParameters frozen(RewardModelLearner model) {
        return new VersionParameters(
                model.freeze(spec.decisionRule().inverseTemperature()),
                OptionalDouble.empty(),
                true);
    }

    private VersionParameters frozen(LprLearner learner) {
        return new VersionParameters(
                learner.averagedModel(steps() - stepsAtSnapshot), learner.posteriorVariance());
    }

    /**
     * The certificate of a candidate, from examples of the active version; empty without any. That
     * of a reward model has no bound: its greedy policy is far from every prior, so that the bound
     * would be zero.
     *
     * @param trusted whether the propensities can be trusted
     */
    private Optional<Certificate> certificate(
            VersionParameters parameters, LprLearner learner, boolean trusted) {
        boolean bounded = trusted && !parameters.fromRewardModel();
        long newest =
                parameters.fromRewardModel()
                        ? Math.max(MIN_ESTIMATED, clock.examples())
                        : Math.max(MIN_CERTIFIED, CERTIFIED_PER_EXAMPLE * clock.examples());
        ExampleLog log =
                learner.buffer()
                        .loggedBy(activeVersion, Math.max(certifiedFrom, received - newest));
        return log.size() == 0
                ? Optional.empty()
                : Optional.of(
                        Certification.certify(
                                spec, spec.policyOf(parameters), learner.prior(), log, bounded));
    }

    /**
     * Gives a version number to a policy that was learned elsewhere.
     *
     * @param training how it was learned
     * @throws IllegalArgumentException if the parameters do not fit the loop
     */
    public Candidate adopt(VersionParameters parameters, Training training) {
        shape.squaredDistance(parameters.model()); // refuses a model of another shape
        spec.requireVariance(parameters.variance());
        OptionalDouble fixed = spec.get(LoopSettings.VARIANCE);
        latestVersion++;
        return new Candidate(
                latestVersion,
                activeVersion,
                parameters.model(),
                fixed.isPresent() ? fixed : parameters.variance(),
                false,
                0,
                Optional.of(training),
                Optional.empty());
    }

    private void restartClock() {
        clock.restart();
        stepsAtSnapshot = steps();
    }

    /**
     * Starts a new generation, after a promotion or a rollback.
     *
     * @param version the new logging policy
     */
    public void promote(long version, VersionParameters parameters) {
        shape.squaredBiasDistance(parameters.model()); // refuses a model of another shape
        activeVersion = version;
        latestVersion = Math.max(latestVersion, version);
        evidence.restartOverActive();
        learned = 0;
        if (parameters.fromRewardModel()) {
            certifiedFrom = received; // the buffer stays, with examples that were not checked
        } else {
            priorVersion = version;
            if (lpr.isPresent()) {
                lpr.get().restartAt(parameters.model());
            }
        }
        restartClock();
    }

    /** Lets a spec take effect that must not be mixed with the examples of an earlier one. */
    public void forgetExamples() {
        lpr.ifPresent(LprLearner::forgetExamples);
        learned = 0;
    }

    /** Whether a change of what is learned would affect nothing that was learned. */
    public boolean hasLearnedNothing() {
        return learned() == 0 && buffered() == 0;
    }

    /** Number of examples since the prior of LPR or, without LPR, of this generation. */
    private long learned() {
        return lpr.isPresent() ? lpr.get().learned() : learned;
    }

    /**
     * The same learner with a changed spec. If mini-batches or the buffer change, pending examples
     * are used first, as a smaller mini-batch. This learner must not be used afterwards.
     *
     * @throws IllegalArgumentException if the change is refused, or must wait for the next
     *     generation
     */
    public LoopLearner changedTo(LoopSpec changed) {
        SpecChange change = SpecChange.between(spec, changed);
        SpecChange.Verdict hardest =
                learned() == 0 ? SpecChange.Verdict.NEXT_GENERATION : SpecChange.Verdict.IMMEDIATE;
        if (change.verdict().compareTo(hardest) > 0) {
            throw new IllegalArgumentException("the change is not immediate: " + change);
        }
        LoopSpec between = withBatchesOf(spec, changed);
        if (lpr.isEmpty() || !changed.learner().hasLpr()) {
            return restore(changed, bufferBytes, storage, stateFor(changed.learner()));
        }
        if (lpr.get().pending() == 0 || between.hasSettingsOf(changed)) {
            return restore(changed, bufferBytes, storage, state());
        }
        LoopLearner last = restore(between, bufferBytes, storage, state());
        last.lpr.orElseThrow().stepOnPending();
        return restore(changed, bufferBytes, storage, last.state());
    }

    private static LoopSpec withBatchesOf(LoopSpec before, LoopSpec changed) {
        return changed.toBuilder()
                .set(LoopSettings.BATCH_SIZE, before.get(LoopSettings.BATCH_SIZE))
                .set(LoopSettings.BUFFER_STEPS, before.get(LoopSettings.BUFFER_STEPS))
                .set(LoopSettings.BUFFER_CAPACITY, before.get(LoopSettings.BUFFER_CAPACITY))
                .set(LoopSettings.SEED, before.get(LoopSettings.SEED))
                .build();
    }

    /** The state for another kind of learner, where this one or the other does not have LPR. */
    private LearnerState stateFor(LearnerKind other) {
        LearnerProgress now = progress();
        boolean adds = lpr.isEmpty() && other.hasLpr();
        boolean drops = lpr.isPresent() && !other.hasLpr();
        if (!adds && !drops) {
            return state();
        }
        lpr.ifPresent(LprLearner::discard);
        // Not the active version if it is of a reward model: LPR could learn nothing around it.
        float[] start =
                adds
                        ? FlatParameters.of(RolloutPolicies.require(storage, priorVersion).model())
                        : NONE;
        return new LearnerState(
                now.withoutSteps(),
                start,
                start,
                new float[start.length],
                BufferState.empty(),
                rewardModelState(),
                EvidenceState.START);
    }

    /** Number of examples so far, over all generations. */
    public long received() {
        return received;
    }

    /** Number of examples since the last candidate was frozen or the generation began. */
    public long sinceCandidate() {
        return clock.examples();
    }

    /** The highest version of a candidate or prior so far. */
    public long latestVersion() {
        return latestVersion;
    }

    /** Approximate memory of the examples that are not in stored blocks, in bytes. */
    public long openBytes() {
        return lpr.isPresent() ? lpr.get().buffer().openBytes() : 0;
    }

    /** Number of examples in the buffer. */
    public long buffered() {
        return lpr.isPresent() ? lpr.get().buffer().size() : 0;
    }

    /** How often the reward model has found that the world has changed. */
    public long changesFound() {
        return rewardModel.isPresent() ? rewardModel.get().replacements() : 0;
    }

    /**
     * How often the parameters of LPR, AdaGrad's state or the list of stored blocks have changed
     * since this learner was created. Most examples change none of them.
     */
    public long changes() {
        return lpr.isPresent() ? lpr.get().changes() : 0;
    }

    /** The stored blocks of the buffer, oldest first; a copy. */
    public List<BufferState.Block> blocks() {
        return lpr.isPresent() ? List.copyOf(lpr.get().buffer().blocks()) : List.of();
    }

    /** The examples after the last block. Must not be changed. */
    public ExampleLog openExamples() {
        return lpr.isPresent() ? lpr.get().buffer().open() : NO_EXAMPLES;
    }

    /** The current parameters of LPR as one array; a copy. Empty without LPR. */
    public float[] parameters() {
        return lpr.isPresent() ? FlatParameters.of(lpr.get().model()) : NONE;
    }

    /** AdaGrad's state; a copy. Empty without LPR. */
    public float[] squaredGradientSum() {
        return lpr.isPresent() ? lpr.get().squaredGradientSum() : NONE;
    }

    /** The state of the reward model to store. */
    public Optional<RewardModelState> rewardModelState() {
        return rewardModel.map(RewardModelLearner::state);
    }

    /** The state of the evidence to store. */
    public EvidenceState evidenceState() {
        return evidence.state();
    }

    /** The state to store. */
    public LearnerState state() {
        return new LearnerState(
                progress(),
                lpr.isPresent() ? FlatParameters.of(lpr.get().prior()) : NONE,
                parameters(),
                squaredGradientSum(),
                lpr.isPresent() ? lpr.get().buffer().state() : BufferState.empty(),
                rewardModelState(),
                evidenceState());
    }

    public LearnerProgress progress() {
        return new LearnerProgress(
                activeVersion,
                priorVersion,
                latestVersion,
                received,
                lpr.isPresent() ? lpr.get().pending() : 0,
                learned(),
                steps(),
                stepsAtSnapshot,
                clock.examples(),
                clock.rewards(),
                clock.earlierRewards(),
                clock.startMs(),
                clock.latestMs(),
                certifiedFrom,
                lpr.isPresent() ? lpr.get().variance() : 0.0);
    }
}
