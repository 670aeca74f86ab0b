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
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LearnerKind;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import java.time.Duration;
import java.util.Optional;

/**
 * A loop with default settings, except for mode, learner and an attribution window that fits the
 * world, in which an event takes a second: the classes that the job and serving use.
 */
final class LoopAgent implements Agent, LoopOutput {

    private static final long BUFFER_BYTES = 1L << 30; // no limit besides the buffer's capacity
    private static final int KEPT_VERSIONS = 10;

    private final InMemoryStorage storage = new InMemoryStorage();
    private final LearningLoop loop;
    private Rollout rollout;
    private Policy active;
    private Optional<SplitPolicy> split;
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
        this.rollout = loop.gate().rollout();
        this.active = policy(rollout.activeVersion());
        this.split = split();
    }

    /** The spec of a world with its starting policy. */
    static LoopSpec.Builder spec(World world) {
        LoopSpec.Builder spec = world.spec();
        Optional<PolicySnapshot> start =
                world.start()
                        .map(model -> PolicySnapshot.of("world", 0, model, spec.build().encoder()));
        return spec.set(LoopSettings.STARTING_POLICY, start)
                .set(LoopSettings.ATTRIBUTION_WINDOW, Duration.ofSeconds(world.delay()));
    }

    private Policy policy(long version) {
        return loop.spec().policyOf(storage.parameters(version).orElseThrow());
    }

    private Optional<SplitPolicy> split() {
        return rollout.split()
                .map(it -> new SplitPolicy(active, policy(it.candidateVersion()), it));
    }

    @Override
    public Choice decide(Request request, EventRandom random) {
        Rollout now = loop.gate().rollout();
        if (!now.equals(rollout)) {
            rollout = now;
            active = policy(now.activeVersion());
            split = split();
        }
        if (split.isEmpty()) {
            return new Choice(
                    active.decide(request.features(), request.allowed(), random),
                    now.activeVersion());
        }
        boolean byCandidate = random.nextDouble() < now.share();
        return new Choice(
                split.get().decide(request.features(), request.allowed(), byCandidate, random),
                now.activeVersion(),
                now.split());
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
                new DecisionOrigin(
                        loop.spec().version(),
                        choice.decision().kind(),
                        choice.split(),
                        1_000L * events),
                1_000L * events,
                this);
        events++;
    }

    @Override
    public void frozen(Candidate candidate) {}

    @Override
    public void changed(RolloutChange change) {}
}
