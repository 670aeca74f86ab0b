package io.counterflow.core.loop;

import io.counterflow.core.learn.ExampleLoss;
import io.counterflow.core.learn.Learner;
import io.counterflow.core.learn.Objective;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import java.util.List;
import java.util.Optional;

/**
 * Learns one loop from its examples, given in order. Not thread safe.
 *
 * <p>Every full mini-batch is one AdaGrad step on the loop's objective, followed by some steps on
 * mini-batches drawn from the buffer with replacement. A <em>generation</em> is the time under one
 * prior: it starts at the prior's parameters and ends when a policy is promoted, which then is the
 * next prior. Promotion
 *
 * <ul>
 *   <li>sets the parameters to those of the promoted policy, as learning starts at the prior; what
 *       was learned after it was frozen is learned anew from what it logs itself;
 *   <li>empties the buffer, but for the examples of the mini-batch that is being filled: those have
 *       not trained yet, and do so as stragglers;
 *   <li>keeps AdaGrad's memory, so that steps do not become as large as the very first ones.
 * </ul>
 *
 * <p>An example logged by another version than the prior trains, with its own propensity, but is in
 * no certificate: those rest on what the prior logged.
 *
 * <p>The draws are a function of the spec's seed and the number of the step. So the state that is
 * stored is all there is, and a restart between any two examples changes no bit of what follows.
 */
public final class LoopLearner {

    private final LearnerSpec spec;
    private final ExampleShape shape;
    private final Objective objective;
    private final ExampleLoss loss;
    private final ExampleRing buffer;
    private final SnapshotClock clock;
    private final int[] batch; // positions in the buffer's log

    private LinearModel prior;
    private Learner learner;
    private long priorVersion;
    private long latestVersion;
    private long received;
    private int pending;
    private long learned;
    private long steps;
    private long stepsAtSnapshot;

    private LoopLearner(LearnerSpec spec, LearnerState state) {
        LearnerProgress progress = state.progress();
        if (progress.pending() >= spec.batches().size()) {
            throw new IllegalArgumentException(
                    "mini-batches of %d examples cannot have %d pending"
                            .formatted(spec.batches().size(), progress.pending()));
        }
        this.spec = spec;
        this.shape = new ExampleShape(spec.shape());
        this.objective = spec.objective().objective();
        this.loss = spec.objective().loss();
        this.buffer = new ExampleRing(spec.batches(), loss);
        this.clock = new SnapshotClock(progress);
        this.batch = new int[spec.batches().size()];
        this.prior = FlatParameters.toModel(spec.shape(), state.prior());
        this.learner =
                learnerAt(
                        prior,
                        FlatParameters.toModel(spec.shape(), state.parameters()),
                        state.squaredGradientSum());
        for (LoggedExample example : state.examples()) {
            shape.require(example);
            buffer.add(example);
        }
        this.priorVersion = progress.priorVersion();
        this.latestVersion = progress.latestVersion();
        this.received = progress.received();
        this.pending = progress.pending();
        this.learned = progress.learned();
        this.steps = progress.steps();
        this.stepsAtSnapshot = progress.stepsAtSnapshot();
    }

    /**
     * Starts a loop.
     *
     * @param version version of the policy that the loop starts with
     * @param prior its parameters; zeros for the uniform policy
     */
    public static LoopLearner start(LearnerSpec spec, long version, LinearModel prior) {
        spec.shape().squaredDistance(prior); // refuses a model of another shape
        float[] parameters = FlatParameters.of(prior);
        float[] nothingYet = new float[parameters.length];
        LearnerProgress progress = LearnerProgress.start(version);
        return restore(
                spec, new LearnerState(progress, parameters, parameters, nothingYet, List.of()));
    }

    /** Goes on where a stored learner stopped. */
    public static LoopLearner restore(LearnerSpec spec, LearnerState state) {
        return new LoopLearner(spec, state);
    }

    private Learner learnerAt(LinearModel prior, LinearModel start, float[] squaredGradientSum) {
        return Learner.resume(
                start,
                objective.centre() == Objective.Centre.PRIOR ? prior : prior.zeros(),
                objective.strength(),
                spec.optimizer(),
                spec.batches().size(),
                squaredGradientSum);
    }

    /**
     * Refuses an example that this loop cannot learn from.
     *
     * @throws IllegalArgumentException if the example does not fit the loop's model
     */
    public void requireFit(LoggedExample example) {
        shape.require(example);
    }

    /**
     * Takes one example, whole or not at all. Allocates nothing once the buffer is full.
     *
     * @param eventTimeMs the example's event time, at least 0
     * @throws IllegalArgumentException if the example does not fit the loop's model
     */
    public void learn(LoggedExample example, long eventTimeMs) {
        Require.atLeast(0, eventTimeMs, "eventTimeMs");
        shape.require(example);
        clock.tick(eventTimeMs);
        buffer.add(example);
        received++;
        pending++;
        if (pending == batch.length) {
            stepOnPending();
        }
    }

    private void stepOnPending() {
        for (int i = 0; i < pending; i++) {
            batch[i] = buffer.position(buffer.size() - pending + i);
        }
        ExampleLog log = buffer.log();
        learner.step(log, buffer.coefficients(), loss, batch, 0, pending);
        steps++;
        if (spec.batches().replay() > 0) {
            replay(log);
        }
        learned += pending;
        pending = 0;
    }

    private void replay(ExampleLog log) {
        // Mixed once more: neighbouring seeds would give draws that are shifted by one.
        EventRandom seeds = new EventRandom(spec.batches().seed() ^ steps);
        EventRandom random = new EventRandom(seeds.nextLong());
        for (int again = 0; again < spec.batches().replay(); again++) {
            for (int i = 0; i < pending; i++) {
                batch[i] = buffer.position(random.nextInt(buffer.size()));
            }
            learner.step(log, buffer.coefficients(), loss, batch, 0, pending);
        }
    }

    /**
     * Whether it is time to {@link #freeze()}: the cadence says so, and a step was taken since the
     * last candidate, from which the next one would not differ otherwise.
     */
    public boolean snapshotDue() {
        return steps > stepsAtSnapshot && clock.due(spec.snapshots());
    }

    /** Freezes the parameters of the moment, evaluates them over the buffer and starts counting. */
    public Candidate freeze() {
        LinearModel model = learner.model();
        ExampleLog ofPrior = buffer.loggedBy(priorVersion);
        Optional<CandidateCertificate> certificate =
                ofPrior.size() == 0
                        ? Optional.empty()
                        : Optional.of(CandidateCertificate.of(ofPrior, model, prior, spec));
        latestVersion++;
        restartClock();
        return new Candidate(latestVersion, priorVersion, model, learned, certificate);
    }

    private void restartClock() {
        clock.restart();
        stepsAtSnapshot = steps;
    }

    /**
     * Starts a new generation, after a promotion or a rollback.
     *
     * @param version the version that is the logging policy from here on
     * @param model its parameters
     */
    public void promote(long version, LinearModel model) {
        spec.shape().squaredDistance(model); // refuses a model of another shape
        prior = model;
        learner = learnerAt(model, model, learner.squaredGradientSum());
        priorVersion = version;
        latestVersion = Math.max(latestVersion, version);
        buffer.keepNewest(pending);
        learned = 0;
        restartClock();
    }

    /**
     * The same learner under a changed spec. Where mini-batches or the buffer change, what is
     * pending is learned first, as a smaller mini-batch of the old kind, but with all else as
     * changed: a generation learns for one objective only. This learner is not to be used any more.
     *
     * @throws IllegalArgumentException if the change is refused, or if it needs the generation's
     *     examples to be learned anew and the generation has learned from any
     */
    public LoopLearner changedTo(LearnerSpec changed) {
        SpecChange change = SpecChange.classify(spec, changed);
        SpecChange.Verdict hardest =
                learned == 0 ? SpecChange.Verdict.NEEDS_REPLAY : SpecChange.Verdict.HOT;
        if (change.verdict().compareTo(hardest) > 0) {
            throw new IllegalArgumentException("the change is not hot: " + change);
        }
        if (pending == 0 || changed.batches().equals(spec.batches())) {
            return restore(changed, state());
        }
        LoopLearner between = restore(changed.with(spec.batches()), state());
        between.stepOnPending();
        return restore(changed, between.state());
    }

    /** The version that is the prior of this generation. */
    public long priorVersion() {
        return priorVersion;
    }

    /** How many examples came so far, over all generations. */
    public long received() {
        return received;
    }

    /** Bytes of the features that are kept. */
    public long bufferedBytes() {
        return buffer.bytes();
    }

    /** How many examples are kept. */
    public int buffered() {
        return buffer.size();
    }

    /** The parameters as they are now, as one array; a copy. */
    public float[] parameters() {
        return FlatParameters.of(learner.model());
    }

    /** AdaGrad's memory; a copy. */
    public float[] squaredGradientSum() {
        return learner.squaredGradientSum();
    }

    /** What is to be stored. */
    public LearnerState state() {
        return new LearnerState(
                progress(),
                FlatParameters.of(prior),
                FlatParameters.of(learner.model()),
                learner.squaredGradientSum(),
                buffer.examples());
    }

    /** The part of the state that is numbers. */
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
                clock.latestMs());
    }
}
