package io.counterflow.experiments.worlds;

import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.InMemoryStorage;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLimits;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.util.Optional;

/**
 * A loop with default settings, except for mode and learner: the classes that the job and serving
 * use.
 */
final class LoopAgent implements Agent, LoopOutput {

    private static final long BUFFER_BYTES = 1L << 30; // no limit besides the buffer's capacity
    private static final int KEPT_VERSIONS = 10;

    private final InMemoryStorage storage = new InMemoryStorage();
    private final LearningLoop loop;
    private long activeVersion;
    private Policy active;
    private long events;

    LoopAgent(World world, RolloutMode mode, LearnerKind learner) {
        this.loop =
                LearningLoop.start(
                        spec(world)
                                .set(LoopSettings.ROLLOUT_MODE, mode)
                                .set(LoopSettings.LEARNER, learner)
                                .build(),
                        new LoopLimits(BUFFER_BYTES, KEPT_VERSIONS),
                        storage,
                        this);
        this.activeVersion = loop.gate().rollout().activeVersion();
        this.active = policy();
    }

    /** The spec of a world with its starting policy. */
    static LoopSpec.Builder spec(World world) {
        LoopSpec.Builder spec = world.spec();
        Optional<PolicySnapshot> start =
                world.start()
                        .map(model -> PolicySnapshot.of("world", 0, model, spec.build().encoder()));
        return spec.set(LoopSettings.STARTING_POLICY, start);
    }

    private Policy policy() {
        return loop.spec().policyOf(storage.parameters(activeVersion).orElseThrow());
    }

    @Override
    public Choice decide(Request request, EventRandom random) {
        long version = loop.gate().rollout().activeVersion();
        if (version != activeVersion) {
            activeVersion = version;
            active = policy();
        }
        return new Choice(
                active.decide(request.features(), request.allowed(), random), activeVersion);
    }

    @Override
    public void learn(Request request, Choice choice, double reward) {
        LoggedExample example =
                new LoggedExample(
                        request.features(),
                        request.allowed(),
                        choice.decision().action(),
                        choice.decision().propensity(),
                        reward,
                        choice.version());
        loop.take(
                example,
                new DecisionOrigin(loop.spec().version(), choice.decision().kind(), 0.0, events),
                events,
                this);
        events++;
    }

    @Override
    public void frozen(Candidate candidate) {}

    @Override
    public void changed(RolloutChange change) {}
}
