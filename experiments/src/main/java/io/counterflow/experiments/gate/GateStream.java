package io.counterflow.experiments.gate;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.InMemoryVersions;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLimits;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.Setting;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * A stream of decisions in gated mode, with the classes that the job and serving use. Examples
 * reach the loop some events after the decision, so that decisions are in flight when something
 * changes.
 */
final class GateStream implements LoopOutput {

    static final String LOOP = "loop";

    /** Version of the starting policy. */
    static final long START = 1;

    private record InFlight(LoggedExample example, DecisionOrigin origin) {}

    private final GateWorld world;
    private final int delay;
    private final double exclusion;
    private final PropensityKind kind;
    private final InMemoryVersions versions = new InMemoryVersions();
    private final LearningLoop loop;
    private final EventRandom random;
    private final Deque<InFlight> inFlight = new ArrayDeque<>();
    private OptionalInt decidedAt = OptionalInt.empty();
    private long specVersion = 1;
    private int events;

    /**
     * @param delay number of events between a decision and its example
     * @param exclusion probability with which an action is excluded from a decision
     * @param kind the kind of propensity that examples claim to have
     */
    GateStream(
            GateWorld world,
            DenseModel start,
            LoopSpec.Builder spec,
            int delay,
            double exclusion,
            PropensityKind kind,
            long seed) {
        this.world = world;
        this.delay = delay;
        this.exclusion = exclusion;
        this.kind = kind;
        this.random = new EventRandom(seed);
        this.loop =
                LearningLoop.start(
                        spec.at(1, Instant.EPOCH)
                                .set(
                                        LoopSettings.STARTING_POLICY,
                                        Optional.of(
                                                PolicySnapshot.of(
                                                        LOOP, START, start, Optional.empty())))
                                .build(),
                        new LoopLimits(1 << 20, 10),
                        versions,
                        this);
    }

    /** The default settings in gated mode, for a loop that has no candidates of its own. */
    static LoopSpec.Builder spec() {
        return LoopSpec.builder(LOOP)
                .vectors(
                        GateWorld.CONTEXTS,
                        IntStream.range(0, GateWorld.ACTIONS)
                                .mapToObj(action -> "a" + action)
                                .toArray(String[]::new))
                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED)
                .set(LoopSettings.BUFFER_STEPS, 0L)
                .set(LoopSettings.BUFFER_CAPACITY, 100L)
                .set(LoopSettings.SNAPSHOT_EXAMPLES, 0L);
    }

    /** Adds a candidate that is compared from now on; returns its version. */
    long register(DenseModel candidate) {
        loop.register(candidate, Training.none(), events, "simulated", this);
        return loop.learner().progress().latestVersion();
    }

    void command(RolloutCommand.Action action, OptionalLong version, OptionalDouble share) {
        loop.command(new RolloutCommand(action, version, share, "simulated"), events, this);
    }

    /** Changes a setting of the spec. */
    <T> void change(Setting<T> setting, T value) {
        specVersion++;
        LoopSpec latest = loop.waitingSpec().orElse(loop.spec());
        loop.change(
                latest.toBuilder().at(specVersion, Instant.EPOCH).set(setting, value).build(),
                this);
    }

    /** Decides an event, and adds the example of an earlier one. */
    void next() {
        Rollout rollout = loop.gate().rollout();
        boolean canary = CanaryShare.decidesCanary(LOOP, "event-" + events, rollout.share());
        long version = canary ? rollout.candidateVersion().orElseThrow() : rollout.activeVersion();
        int context = random.nextInt(GateWorld.CONTEXTS);
        DenseVector x = GateWorld.features(context);
        AllowedActions allowed = allowed();
        Decision decision =
                loop.spec()
                        .policyOf(versions.model(version).orElseThrow())
                        .decide(x, allowed, random);
        boolean rewarded = random.nextDouble() < world.reward(context, decision.action());
        inFlight.add(
                new InFlight(
                        new LoggedExample(
                                x,
                                allowed,
                                decision.action(),
                                decision.propensity(),
                                rewarded ? 1.0 : 0.0,
                                version),
                        new DecisionOrigin(loop.spec().version(), kind, 0.0, events)));
        events++;
        if (inFlight.size() > delay) {
            InFlight next = inFlight.remove();
            loop.take(next.example(), next.origin(), events, this);
        }
    }

    private AllowedActions allowed() {
        if (exclusion == 0.0) {
            return AllowedActions.ALL;
        }
        int always = random.nextInt(GateWorld.ACTIONS);
        return AllowedActions.allBut(
                IntStream.range(0, GateWorld.ACTIONS)
                        .filter(action -> action != always && random.nextDouble() < exclusion)
                        .toArray());
    }

    @Override
    public void frozen(Candidate candidate) {
        // Registered candidates are published as well.
    }

    @Override
    public void changed(RolloutChange change) {
        if (change.startsGeneration() && change.reason().contains("with error probability")) {
            decidedAt = OptionalInt.of(events);
        }
    }

    /** The number of events after which the gate promoted a version, or rolled back. */
    OptionalInt decidedAt() {
        return decidedAt;
    }

    Rollout rollout() {
        return loop.gate().rollout();
    }
}
