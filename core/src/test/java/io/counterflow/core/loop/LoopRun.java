package io.counterflow.core.loop;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.ExampleLog;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rewardmodel.RewardBelief;
import io.counterflow.core.rewardmodel.RewardModelState;
import io.counterflow.core.rollout.ComparedExample;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.simulation.SimulatedLoop;
import io.counterflow.core.spec.LoopSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A loop under test that learns from the decisions of its versions, and records its outputs. */
final class LoopRun implements LoopOutput {

    static final AllowedActions ALL = AllowedActions.ALL;

    final InMemoryStorage versions = new InMemoryStorage();
    final List<Candidate> candidates = new ArrayList<>();
    final List<RolloutChange> changes = new ArrayList<>();
    final List<Long> forgotten = new ArrayList<>();

    private final SimulatedLoop truth = new SimulatedLoop(Specs.ACTIONS, Specs.DIMENSION, 1);
    private final EventRandom random = new EventRandom(2);
    private final LearningLoop loop;
    private long now;

    LoopRun(LoopSpec spec) {
        this(spec, new LoopLimits(Specs.MANY_BYTES, 10));
    }

    LoopRun(LoopSpec spec, LoopLimits limits) {
        this.loop = LearningLoop.start(spec, limits, versions, this);
    }

    @Override
    public void frozen(Candidate candidate) {
        candidates.add(candidate);
    }

    @Override
    public void changed(RolloutChange change) {
        changes.add(change);
    }

    @Override
    public void forgotten(long version) {
        forgotten.add(version);
    }

    private long later() {
        long before = now;
        now += 1_000; // slow enough for a candidate every 40 examples
        return before;
    }

    /** The event time of the next example. */
    long now() {
        return now;
    }

    LearningLoop loop() {
        return loop;
    }

    RolloutChange lastChange() {
        return changes.get(changes.size() - 1);
    }

    long active() {
        return loop.gate().rollout().activeVersion();
    }

    Policy served(long version) {
        return loop.spec().policyOf(versions.parameters(version).orElseThrow());
    }

    /** An example that one of the versions logs, with exact propensity. */
    LoggedExample draw(long version, AllowedActions allowed) {
        var x = truth.drawContext(random);
        Decision decision = served(version).decide(x, allowed, random);
        double rewarded = truth.rewardProbability(x, decision.action());
        double reward = random.nextDouble() < rewarded ? 1.0 : 0.0;
        return new LoggedExample(
                x, allowed, decision.action(), decision.propensity(), reward, version);
    }

    /** An example that two versions log together. */
    LoggedExample draw(Split split, AllowedActions allowed) {
        var x = truth.drawContext(random);
        Decision decision =
                new SplitPolicy(
                                served(split.activeVersion()),
                                served(split.candidateVersion()),
                                split)
                        .decide(x, allowed, random.nextDouble() < split.share(), random);
        double rewarded = truth.rewardProbability(x, decision.action());
        double reward = random.nextDouble() < rewarded ? 1.0 : 0.0;
        return new LoggedExample(
                x,
                allowed,
                decision.action(),
                decision.propensity(),
                reward,
                split.activeVersion());
    }

    ComparedExample take(LoggedExample example, Split split) {
        DecisionOrigin origin =
                new DecisionOrigin(
                        loop.spec().version(), PropensityKind.EXACT, Optional.of(split), now);
        return loop.take(example, origin, later(), this);
    }

    ComparedExample take(LoggedExample example) {
        return loop.take(example, later(), this);
    }

    /** Adds an example that was decided under a version of the spec. */
    ComparedExample take(LoggedExample example, long specVersion) {
        DecisionOrigin origin =
                new DecisionOrigin(specVersion, PropensityKind.EXACT, Optional.empty(), now);
        return loop.take(example, origin, later(), this);
    }

    /** Adds an example that was decided in this way. */
    ComparedExample takeFrom(LoggedExample example, DecisionOrigin origin) {
        return loop.take(example, origin, later(), this);
    }

    /** Adds an example that the baseline version decided in the holdout. */
    ComparedExample takeHoldout(LoggedExample example) {
        DecisionOrigin origin =
                new DecisionOrigin(
                        loop.spec().version(),
                        PropensityKind.EXACT,
                        Optional.empty(),
                        true,
                        now,
                        OptionalDouble.empty());
        return loop.take(example, origin, later(), this);
    }

    /** Adds a number of examples of the active version. */
    void take(int n) {
        for (int i = 0; i < n; i++) {
            take(draw(active(), ALL));
        }
    }

    RolloutChange ask(RolloutCommand.Action action) {
        return ask(new RolloutCommand(action, OptionalLong.empty(), OptionalDouble.empty(), "why"));
    }

    RolloutChange ask(RolloutCommand.Action action, long version) {
        return ask(
                new RolloutCommand(
                        action, OptionalLong.of(version), OptionalDouble.empty(), "why"));
    }

    /** Executes a command and returns the recorded change. */
    RolloutChange ask(RolloutCommand command) {
        int before = changes.size();
        loop.command(command, now, this);
        if (changes.size() == before) {
            throw new AssertionError("nothing was put on record for " + command);
        }
        return changes.get(before);
    }

    /** The stored state, as values that can be compared. */
    List<Object> everything() {
        List<Object> all = new ArrayList<>();
        all.add(loop.spec());
        all.add(loop.waitingSpec());
        all.add(loop.gate().state());
        all.add(loop.holdout().state());
        all.addAll(values(loop.learner().state()));
        for (long version : versions.versions()) {
            all.add(version);
            all.add(values(versions.parameters(version).orElseThrow()));
        }
        return all;
    }

    static List<Object> values(LearnerState state) {
        return List.of(
                state.progress(),
                values(state.prior()),
                values(state.parameters()),
                values(state.squaredGradientSum()),
                state.buffer(),
                state.rewardModel().map(LoopRun::values),
                state.evidence());
    }

    private static List<Object> values(RewardModelState state) {
        return List.of(state.progress(), values(state.champion()), values(state.challenger()));
    }

    private static List<Object> values(RewardBelief belief) {
        return List.of(
                values(belief.means()),
                values(belief.variances()),
                belief.offsetWeight(),
                belief.offsetVariance());
    }

    /** All examples of a buffer, oldest first. */
    static List<LoggedExample> examples(BufferState buffer, LoopStorage storage) {
        List<LoggedExample> examples = new ArrayList<>();
        for (BufferState.Block block : buffer.blocks()) {
            ExampleLog log = storage.block(block.first());
            for (int i = 0; i < log.size(); i++) {
                examples.add(log.example(i));
            }
        }
        examples.addAll(buffer.open());
        return examples;
    }

    static List<Object> values(VersionParameters version) {
        return List.of(values(version.model()), version.variance());
    }

    static List<Float> values(LinearModel model) {
        return values(FlatParameters.of(model));
    }

    private static List<Float> values(float[] numbers) {
        List<Float> values = new ArrayList<>(numbers.length);
        for (float number : numbers) {
            values.add(number);
        }
        return values;
    }

    /** π(a|x) of one action, computed by the policy alone. */
    static double probability(Policy policy, Features x, AllowedActions allowed, int action) {
        double[] probabilities = new double[policy.actionCount(x)];
        policy.probabilities(x, allowed, probabilities);
        return probabilities[action];
    }
}
