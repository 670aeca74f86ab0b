package io.counterflow.core.loop;

import io.counterflow.core.learn.Learner;
import io.counterflow.core.learn.LearnerPass;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.objective.ExampleLoss;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.SamplePass;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Learns a policy by LPR: the loop's objective, with AdaGrad, around a prior.
 *
 * <p>Every full mini-batch is one step, followed by some steps on mini-batches from the buffer:
 * neighbours of an example that is drawn. The draws are a function of the seed of the spec and the
 * number of the step, so the stored state is complete.
 */
final class LprLearner {

    /** The policy of a candidate is the mean of this many iterates, */
    private static final int AVERAGED_ITERATES = 16;

    /** which need one further step for so many buffer steps since the last candidate. */
    private static final int STEPS_PER_FURTHER_STEP = 10;

    /** So that freezing a candidate of a long generation does not delay checkpoints. */
    private static final long MAX_FURTHER_STEPS = 4_096;

    private final LoopSpec spec;
    private final int bufferSteps;
    private final Objective objective;
    private final Optional<BayesianSteps> bayesian;
    private final ExampleBuffer buffer;
    private final int[] batch; // positions in a block of the buffer

    private LinearModel prior;
    private Learner learner;
    private int pending;
    private long learned;
    private long steps;
    private long parameterChanges;
    private ExampleLoss loss;
    private double variance; // of the loss
    private double[] coefficients; // of the loss, by position in a block

    /** Continues from a stored state that has the parameters of LPR. */
    LprLearner(LoopSpec spec, long bufferBytes, LoopStorage storage, LearnerState state) {
        LearnerProgress progress = state.progress();
        int batchSize = spec.whole(LoopSettings.BATCH_SIZE);
        if (progress.pending() >= batchSize) {
            throw new IllegalArgumentException(
                    "mini-batches of %d examples cannot have %d pending"
                            .formatted(batchSize, progress.pending()));
        }
        this.spec = spec;
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
        this.buffer =
                new ExampleBuffer(
                        storage,
                        spec.whole(LoopSettings.BUFFER_CAPACITY),
                        bufferBytes,
                        batchSize,
                        state.buffer(),
                        progress.received());
        this.coefficients = new double[Math.max(batchSize, buffer.open().size())];
        this.batch = new int[batchSize];
        LinearModel shape = spec.shape().zeros();
        this.prior = FlatParameters.toModel(shape, state.prior());
        this.learner =
                learnerAt(
                        FlatParameters.toModel(shape, state.parameters()),
                        state.squaredGradientSum());
        this.pending = progress.pending();
        this.learned = progress.learned();
        this.steps = progress.steps();
    }

    private Learner learnerAt(LinearModel start, float[] squaredGradientSum) {
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

    /** π(a|x) of an example under the current parameters, without the exploration floor. */
    double probability(LoggedExample example) {
        return learner.probability(example);
    }

    /** Adds an example that fits the loop's model. */
    void learn(LoggedExample example) {
        buffer.add(example);
        pending++;
        if (pending == batch.length) {
            stepOnPending();
        }
    }

    /** Takes a step on the pending examples, which may be fewer than a mini-batch. */
    void stepOnPending() {
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
            stepFromBuffer(draws(), bufferSteps, pending, 0);
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
     *
     * @param most maximum number of examples of a mini-batch
     * @param unused number of newest examples that are not drawn
     */
    private void stepFromBuffer(EventRandom random, int times, int most, int unused) {
        int examples = (int) buffer.size() - unused;
        for (int again = 0; again < times; again++) {
            ExampleBuffer.Place drawn = buffer.place(random.nextInt(examples));
            ExampleLog block = drawn.block();
            int size = block == buffer.open() ? block.size() - unused : block.size();
            int count = Math.min(most, size);
            for (int i = 0; i < count; i++) {
                int at = drawn.offset() + i;
                batch[i] = at < size ? at : at - size;
            }
            step(block, count);
        }
    }

    /** Draws that depend on the seed of the spec and the number of steps. */
    private EventRandom draws() {
        // Mixed again: otherwise neighbouring seeds would give draws that are shifted by one.
        EventRandom seeds = new EventRandom(spec.get(LoopSettings.SEED) ^ steps);
        return new EventRandom(seeds.nextLong());
    }

    /**
     * Takes some further steps on the buffer and returns the mean of the parameters on the way. The
     * last steps scatter around an optimum, and their mean is closer to it (Polyak and Juditsky
     * 1992). It is computed only when a candidate is frozen, so that it is not part of the state.
     *
     * <p>The Bayesian objectives, whose variance belongs to the current parameters, and learners
     * without buffer steps return the current parameters.
     *
     * @param newSteps number of steps on fresh examples since the last candidate
     */
    LinearModel averagedModel(long newSteps) {
        if (bufferSteps == 0 || bayesian.isPresent() || buffer.size() == pending) {
            return model();
        }
        long further = Math.min(MAX_FURTHER_STEPS, newSteps * bufferSteps / STEPS_PER_FURTHER_STEP);
        int apart = (int) Math.max(1, further / AVERAGED_ITERATES);
        EventRandom random = new EventRandom(~draws().nextLong()); // not those of the last steps
        float[] mean = new float[Math.toIntExact(prior.weightCount() + prior.biasCount())];
        for (int i = 1; i <= AVERAGED_ITERATES; i++) {
            stepFromBuffer(random, apart, batch.length, pending);
            learner.addToMean(mean, i);
        }
        parameterChanges++;
        return FlatParameters.toModel(prior, mean);
    }

    /** The variance that the spec fixes or a Bayesian objective gives. */
    OptionalDouble posteriorVariance() {
        return bayesian.isPresent()
                ? OptionalDouble.of(
                        bayesian.get().posteriorVariance(learned + pending, this::sample))
                : spec.get(LoopSettings.VARIANCE);
    }

    /**
     * Starts again at another prior. Pending examples, which have not been used yet, and AdaGrad's
     * state are kept.
     */
    void restartAt(LinearModel newPrior) {
        prior = newPrior;
        parameterChanges++;
        learner = learnerAt(newPrior, learner.squaredGradientSum());
        forgetExamples();
    }

    /** Clears the buffer except for pending examples; parameters and prior stay. */
    void forgetExamples() {
        buffer.keepNewest(pending);
        learned = 0;
        variance = 0.0;
    }

    /** Removes the stored examples of a learner that is no longer used. */
    void discard() {
        buffer.keepNewest(0);
    }

    LinearModel prior() {
        return prior;
    }

    LinearModel model() {
        return learner.model();
    }

    /** AdaGrad's state; a copy. */
    float[] squaredGradientSum() {
        return learner.squaredGradientSum();
    }

    /** How often parameters, AdaGrad's state or the list of stored blocks have changed. */
    long changes() {
        return parameterChanges + buffer.blockChanges();
    }

    ExampleBuffer buffer() {
        return buffer;
    }

    /** Number of newest examples that have not been used in a step. */
    int pending() {
        return pending;
    }

    /** Number of examples since the prior that have been used in a step. */
    long learned() {
        return learned;
    }

    /** Number of steps on fresh examples so far, over all generations. */
    long steps() {
        return steps;
    }

    /** σ² of the objective in the last step. */
    double variance() {
        return variance;
    }
}
