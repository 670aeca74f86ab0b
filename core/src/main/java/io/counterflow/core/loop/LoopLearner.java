package io.counterflow.core.loop;

import io.counterflow.core.bound.ServedBound;
import io.counterflow.core.estimate.PolicyEvaluation;
import io.counterflow.core.learn.Learner;
import io.counterflow.core.learn.LearnerPass;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.SamplePass;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.snapshot.Certificate;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.SpecChange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Learns the policies of one loop. Examples must be added in order. Not thread safe.
 *
 * <p>Every full mini-batch is one AdaGrad step on the loop's objective, followed by some steps on
 * mini-batches from the buffer: neighbours of an example that is drawn. A <em>generation</em> is
 * the time under one prior: it starts at the prior's parameters and ends when a policy is promoted,
 * which becomes the next prior. A promotion
 *
 * <ul>
 *   <li>sets the parameters to those of the promoted policy, because learning starts at the prior;
 *       steps after the policy was frozen are dropped;
 *   <li>clears the buffer, except for the mini-batch that is being filled, which has not been used
 *       yet;
 *   <li>keeps AdaGrad's state, so that steps do not become as large as the first ones.
 * </ul>
 *
 * <p>An example that was logged by another version than the prior is used for learning, with its
 * own propensity, but not for certificates, which use only examples of the prior.
 *
 * <p>The draws are a function of the seed of the spec and the number of the step. So the stored
 * state is complete, and a restart between any two examples does not change any bit.
 */
public final class LoopLearner {

    private final LoopSpec spec;
    private final long bufferBytes;
    private final LoopStorage storage;
    private final LinearModel shape; // with parameters zero
    private final int bufferSteps;
    private final Objective objective;
    private final Optional<BayesianSteps> bayesian;
    private final ExampleBuffer buffer;
    private final SnapshotClock clock;
    private final int[] batch; // positions in a block of the buffer

    private LinearModel prior;
    private Learner learner;
    private long priorVersion;
    private long latestVersion;
    private long received;
    private int pending;
    private long learned;
    private long steps;
    private long stepsAtSnapshot;
    private long certifiedFrom;
    private long parameterChanges;
    private ExampleLoss loss;
    private double variance; // of the loss
    private double[] coefficients; // of the loss, by position in a block

    private LoopLearner(LoopSpec spec, long bufferBytes, LoopStorage storage, LearnerState state) {
        LearnerProgress progress = state.progress();
        int batchSize = spec.whole(LoopSettings.BATCH_SIZE);
        if (progress.pending() >= batchSize) {
            throw new IllegalArgumentException(
                    "mini-batches of %d examples cannot have %d pending"
                            .formatted(batchSize, progress.pending()));
        }
        this.spec = spec;
        this.bufferBytes = bufferBytes;
        this.storage = storage;
        this.shape = spec.shape().zeros();
        this.bufferSteps = spec.whole(LoopSettings.BUFFER_STEPS);
        this.objective = spec.objective(progress.learned());
        this.bayesian =
                spec.get(LoopSettings.OBJECTIVE_NAME).isBayesian()
                        ? Optional.of(new BayesianSteps(spec))
                        : Optional.empty();
        this.variance = progress.variance();
        this.loss =
                bayesian.map(it -> it.loss(variance))
                        .orElseGet(() -> objective.fixedLoss().orElseThrow());
        state.buffer().open().forEach(this::requireFit);
        this.buffer =
                new ExampleBuffer(
                        storage,
                        spec.whole(LoopSettings.BUFFER_CAPACITY),
                        bufferBytes,
                        batchSize,
                        state.buffer(),
                        progress.received());
        this.coefficients = new double[Math.max(batchSize, buffer.open().size())];
        this.clock = new SnapshotClock(progress);
        this.batch = new int[batchSize];
        this.prior = FlatParameters.toModel(shape, state.prior());
        this.learner =
                learnerAt(
                        prior,
                        FlatParameters.toModel(shape, state.parameters()),
                        state.squaredGradientSum());
        this.priorVersion = progress.priorVersion();
        this.latestVersion = progress.latestVersion();
        this.received = progress.received();
        this.pending = progress.pending();
        this.learned = progress.learned();
        this.steps = progress.steps();
        this.stepsAtSnapshot = progress.stepsAtSnapshot();
        this.certifiedFrom = progress.certifiedFrom();
    }

    /**
     * Creates a learner with the starting policy of a spec.
     *
     * @param bufferBytes maximum size of its buffer in bytes
     * @param storage stores the buffer
     */
    public static LoopLearner start(LoopSpec spec, long bufferBytes, LoopStorage storage) {
        float[] parameters = FlatParameters.of(spec.startingModel());
        float[] nothingYet = new float[parameters.length];
        LearnerProgress progress = LearnerProgress.start(spec.startingVersion());
        return restore(
                spec,
                bufferBytes,
                storage,
                new LearnerState(
                        progress, parameters, parameters, nothingYet, BufferState.empty()));
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

    private Learner learnerAt(LinearModel prior, LinearModel start, float[] squaredGradientSum) {
        Learner learner =
                Learner.resume(
                        start,
                        objective.centre() == Objective.Centre.PRIOR ? prior : prior.zeros(),
                        objective.strength(),
                        spec.decisionRule().inverseTemperature(),
                        spec.optimizer(),
                        batch.length,
                        squaredGradientSum);
        if (objective.regularisesBiases()) {
            learner.regulariseBiases();
        }
        return learner;
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
     * Adds an example. If the example is refused, nothing changes.
     *
     * @param eventTimeMs the example's event time, at least 0
     * @throws IllegalArgumentException if the example does not fit the loop's model
     */
    public void learn(LoggedExample example, long eventTimeMs) {
        Require.atLeast(0, eventTimeMs, "eventTimeMs");
        requireFit(example);
        clock.tick(eventTimeMs);
        buffer.add(example);
        received++;
        pending++;
        if (pending == batch.length) {
            stepOnPending();
        }
    }

    /** Leaves the examples so far out of certificates; the learner still uses them. */
    public void certifyLaterExamplesOnly() {
        certifiedFrom = received;
    }

    private void stepOnPending() {
        if (bayesian.isPresent()) { // a method reference would be allocated
            prepareStep(bayesian.get());
        }
        int last = buffer.open().size();
        for (int i = 0; i < pending; i++) {
            batch[i] = last - pending + i;
        }
        step(buffer.open(), pending);
        steps++;
        parameterChanges++;
        buffer.closeBlock();
        if (bufferSteps > 0) {
            stepFromBuffer();
        }
        learned += pending;
        pending = 0;
    }

    /** Takes a step on the first examples of the batch. */
    private void step(ExampleLog block, int count) {
        if (coefficients.length < block.size()) {
            coefficients = new double[block.size()];
        }
        for (int i = 0; i < count; i++) {
            int at = batch[i];
            coefficients[at] = loss.coefficient(block.propensity(at), block.reward(at));
        }
        learner.step(block, coefficients, loss, batch, 0, count);
    }

    /** Sets strength and variance for the number of examples so far. */
    private void prepareStep(BayesianSteps steps) {
        long examples = learned + pending;
        learner.setStrength(steps.strength(examples));
        variance = steps.variance(variance, learned, examples, this::sample);
        loss = steps.loss(variance);
    }

    private SamplePass sample() {
        return new LearnerPass(buffer.all(), learner);
    }

    /**
     * Takes steps on mini-batches of the buffer: an example is drawn, and its neighbours in the
     * same block are used with it. So a step reads one block, and all examples are drawn equally
     * often.
     */
    private void stepFromBuffer() {
        // Mixed again: otherwise neighbouring seeds would give draws that are shifted by one.
        EventRandom seeds = new EventRandom(spec.get(LoopSettings.SEED) ^ steps);
        EventRandom random = new EventRandom(seeds.nextLong());
        for (int again = 0; again < bufferSteps; again++) {
            ExampleBuffer.Place drawn = buffer.place(random.nextInt((int) buffer.size()));
            int size = drawn.block().size();
            int count = Math.min(pending, size);
            for (int i = 0; i < count; i++) {
                int at = drawn.offset() + i;
                batch[i] = at < size ? at : at - size;
            }
            step(drawn.block(), count);
        }
    }

    /**
     * Whether it is time to {@link #freeze}: a candidate is due, and a step was taken since the
     * last candidate.
     */
    public boolean snapshotDue() {
        return steps > stepsAtSnapshot && clock.due(spec);
    }

    /**
     * Freezes the current parameters, evaluates them on the buffer and resets the cadence.
     *
     * @param bounded whether the propensities can be trusted, so that bounds hold
     */
    public Candidate freeze(boolean bounded) {
        LinearModel model = learner.model();
        ExampleLog ofPrior = buffer.loggedBy(priorVersion, certifiedFrom);
        OptionalDouble posterior = posteriorVariance();
        Optional<Certificate> certificate =
                ofPrior.size() == 0
                        ? Optional.empty()
                        : Optional.of(
                                certify(
                                        spec.policyOf(new VersionParameters(model, posterior)),
                                        ofPrior,
                                        bounded));
        latestVersion++;
        restartClock();
        return new Candidate(
                latestVersion,
                priorVersion,
                model,
                posterior,
                learned,
                Optional.empty(),
                certificate);
    }

    /** The variance that the spec fixes or a Bayesian objective gives. */
    private OptionalDouble posteriorVariance() {
        return bayesian.isPresent()
                ? OptionalDouble.of(
                        bayesian.get().posteriorVariance(learned + pending, this::sample))
                : spec.get(LoopSettings.VARIANCE);
    }

    /**
     * The certificate of a candidate, from examples that the prior logged.
     *
     * <p>The prior was fixed before those examples, so the bound holds although the candidate was
     * learned from them: it holds for all parameters at once. Each certificate holds with
     * probability at least 1 − δ, but not all certificates of several candidates at once. The
     * estimates use the training data of the policy and are too optimistic; the bound is not.
     */
    private Certificate certify(Policy policy, ExampleLog ofPrior, boolean bounded) {
        double delta = spec.get(LoopSettings.DELTA);
        PolicyEvaluation evaluation =
                new PolicyEvaluation(spec.get(LoopSettings.TAU), spec.get(LoopSettings.SMOOTHING));
        evaluation.addAll(ofPrior, policy);
        return Certificate.of(
                evaluation.result(delta),
                bounded ? Optional.of(servedBound(policy, ofPrior, delta)) : Optional.empty());
    }

    private ServedBound servedBound(Policy policy, ExampleLog ofPrior, double delta) {
        return spec.hasLearnedVariance()
                ? ServedBound.ofLearnedVariance(
                        ofPrior, policy, prior, spec.get(LoopSettings.PRIOR_VARIANCE), delta)
                : ServedBound.of(ofPrior, policy, prior, delta);
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
                priorVersion,
                parameters.model(),
                fixed.isPresent() ? fixed : parameters.variance(),
                0,
                Optional.of(training),
                Optional.empty());
    }

    private void restartClock() {
        clock.restart();
        stepsAtSnapshot = steps;
    }

    /**
     * Starts a new generation, after a promotion or a rollback.
     *
     * @param version the new logging policy
     * @param model its parameters
     */
    public void promote(long version, LinearModel model) {
        shape.squaredDistance(model); // refuses a model of another shape
        prior = model;
        parameterChanges++;
        learner = learnerAt(model, model, learner.squaredGradientSum());
        priorVersion = version;
        latestVersion = Math.max(latestVersion, version);
        buffer.keepNewest(pending);
        learned = 0;
        variance = 0.0;
        restartClock();
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
                learned == 0 ? SpecChange.Verdict.NEXT_GENERATION : SpecChange.Verdict.IMMEDIATE;
        if (change.verdict().compareTo(hardest) > 0) {
            throw new IllegalArgumentException("the change is not immediate: " + change);
        }
        LoopSpec between = withBatchesOf(spec, changed);
        if (pending == 0 || between.hasSettingsOf(changed)) {
            return restore(changed, bufferBytes, storage, state());
        }
        LoopLearner last = restore(between, bufferBytes, storage, state());
        last.stepOnPending();
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

    /** Number of examples so far, over all generations. */
    public long received() {
        return received;
    }

    /** Approximate memory of the examples that are not in stored blocks, in bytes. */
    public long openBytes() {
        return buffer.openBytes();
    }

    /** Number of examples in the buffer. */
    public long buffered() {
        return buffer.size();
    }

    /**
     * How often the parameters, AdaGrad's state or the list of stored blocks have changed since
     * this learner was created. Most examples change none of them.
     */
    public long changes() {
        return parameterChanges + buffer.blockChanges();
    }

    /** The stored blocks of the buffer, oldest first; a copy. */
    public List<BufferState.Block> blocks() {
        return List.copyOf(buffer.blocks());
    }

    /** The examples after the last block. Must not be changed. */
    public ExampleLog openExamples() {
        return buffer.open();
    }

    /** The current parameters as one array; a copy. */
    public float[] parameters() {
        return FlatParameters.of(learner.model());
    }

    /** AdaGrad's state; a copy. */
    public float[] squaredGradientSum() {
        return learner.squaredGradientSum();
    }

    /** The state to store. */
    public LearnerState state() {
        return new LearnerState(
                progress(),
                FlatParameters.of(prior),
                FlatParameters.of(learner.model()),
                learner.squaredGradientSum(),
                buffer.state());
    }

    public LearnerProgress progress() {
        return new LearnerProgress(
                priorVersion,
                latestVersion,
                received,
                pending,
                learned,
                steps,
                stepsAtSnapshot,
                clock.examples(),
                clock.startMs(),
                clock.latestMs(),
                certifiedFrom,
                variance);
    }
}
