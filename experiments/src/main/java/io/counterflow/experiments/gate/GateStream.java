package io.counterflow.experiments.gate;

import io.counterflow.core.features.DenseVector;
import io.counterflow.core.log.DecisionOrigin;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.loop.Candidate;
import io.counterflow.core.loop.InMemoryStorage;
import io.counterflow.core.loop.LearningLoop;
import io.counterflow.core.loop.LoopLimits;
import io.counterflow.core.loop.LoopOutput;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.Decision;
import io.counterflow.core.policy.DenseModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.Split;
import io.counterflow.core.policy.SplitPolicy;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.rollout.CanaryShare;
import io.counterflow.core.rollout.GateBounds;
import io.counterflow.core.rollout.Rollout;
import io.counterflow.core.rollout.RolloutChange;
import io.counterflow.core.rollout.RolloutCommand;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.snapshot.Training;
import io.counterflow.core.spec.LoopSettings;
import io.counterflow.core.spec.LoopSpec;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.core.spec.Setting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

    private static final LoopLimits LIMITS = new LoopLimits(1 << 24, 10);

    private record InFlight(LoggedExample example, DecisionOrigin origin) {}

    private final GateWorld world;
    private final DenseModel start;
    private final int delay;
    private final Map<Long, Policy> policies = new HashMap<>(); // under the spec in force
    private final InMemoryStorage versions = new InMemoryStorage();
    private final EventRandom random;
    // Of their own, so that they do not change the decisions.
    private final EventRandom faults;
    private final EventRandom restarts;
    private final Deque<InFlight> inFlight = new ArrayDeque<>();
    private final List<RolloutChange> changes = new ArrayList<>();
    private LearningLoop loop;
    private PropensityKind kind = PropensityKind.EXACT;
    private double exclusion;
    private double restartShare;
    private double wrongShare;
    private OptionalInt decidedAt = OptionalInt.empty();
    private long specVersion = 1;
    private long ownVersion;
    private int events;

    /**
     * @param delay number of events between a decision and its example
     */
    GateStream(GateWorld world, DenseModel start, LoopSpec.Builder spec, int delay, long seed) {
        this.world = world;
        this.start = start;
        this.delay = delay;
        this.random = new EventRandom(seed);
        this.faults = new EventRandom(seed + 1_000_000);
        this.restarts = new EventRandom(seed + 2_000_000);
        this.loop =
                LearningLoop.start(
                        spec.at(1, Instant.EPOCH)
                                .set(
                                        LoopSettings.STARTING_POLICY,
                                        Optional.of(
                                                PolicySnapshot.of(
                                                        LOOP, START, start, Optional.empty())))
                                .build(),
                        LIMITS,
                        versions,
                        this);
    }

    /** The default settings in gated mode. */
    static LoopSpec.Builder learningSpec() {
        return LoopSpec.builder(LOOP)
                .vectors(
                        GateWorld.CONTEXTS,
                        IntStream.range(0, GateWorld.ACTIONS)
                                .mapToObj(action -> "a" + action)
                                .toArray(String[]::new))
                .set(LoopSettings.ATTRIBUTION_WINDOW, Duration.ofSeconds(2_000)) // as many events
                .set(LoopSettings.ROLLOUT_MODE, RolloutMode.GATED);
    }

    /** The same for a loop that has no candidates of its own. */
    static LoopSpec.Builder spec() {
        return learningSpec()
                .set(LoopSettings.BUFFER_STEPS, 0L)
                .set(LoopSettings.BUFFER_CAPACITY, 100L)
                .set(LoopSettings.SNAPSHOT_EXAMPLES, 0L)
                .set(LoopSettings.SNAPSHOT_REWARDS, 0.0);
    }

    /** Sets the kind of propensity that examples claim to have. */
    void setKind(PropensityKind kind) {
        this.kind = kind;
    }

    /** Sets the probability with which an action is excluded from a decision. */
    void setExclusion(double share) {
        exclusion = share;
    }

    /** Sets the probability with which the loop is stored and restored before an event. */
    void setRestarts(double share) {
        restartShare = share;
    }

    /** Sets the probability with which half of the propensity is logged. */
    void setWrong(double share) {
        wrongShare = share;
    }

    /** Compares a candidate as one that the loop has learned; returns its version. */
    long compare(DenseModel candidate) {
        ownVersion = Math.max(ownVersion, loop.learner().progress().latestVersion()) + 1;
        long version = ownVersion;
        versions.keep(version, VersionParameters.of(candidate));
        loop.gate().offer(version);
        restart();
        return version;
    }

    private void restart() {
        loop =
                LearningLoop.restore(
                        loop.spec(),
                        loop.waitingSpec(),
                        LIMITS,
                        loop.learner().state(),
                        loop.gate().state(),
                        loop.holdout().state(),
                        versions);
    }

    /** Adds a candidate that is compared from now on; returns its version. */
    long register(DenseModel candidate) {
        loop.register(VersionParameters.of(candidate), Training.none(), nowMs(), "simulated", this);
        return loop.learner().progress().latestVersion();
    }

    /** Promotes another version with the parameters of the starting policy. */
    void promoteCopyOfStart() {
        long copy = register(start);
        command(RolloutCommand.Action.PROMOTE, OptionalLong.of(copy), OptionalDouble.empty());
    }

    void command(RolloutCommand.Action action, OptionalLong version, OptionalDouble share) {
        loop.command(new RolloutCommand(action, version, share, "simulated"), nowMs(), this);
    }

    /** Changes a setting of the spec. */
    <T> void change(Setting<T> setting, T value) {
        specVersion++;
        LoopSpec latest = loop.waitingSpec().orElse(loop.spec());
        loop.change(
                latest.toBuilder().at(specVersion, Instant.EPOCH).set(setting, value).build(),
                this);
    }

    private long nowMs() {
        return 1_000L * events;
    }

    /** Decides an event, and adds the example of an earlier one. */
    void next() {
        if (restartShare > 0.0 && restarts.nextDouble() < restartShare) {
            restart();
        }
        Rollout rollout = loop.gate().rollout();
        int context = random.nextInt(GateWorld.CONTEXTS);
        DenseVector x = GateWorld.features(context);
        AllowedActions allowed = allowed();
        Decision decision = decide(rollout, x, allowed);
        double propensity = decision.propensity();
        if (wrongShare > 0.0 && faults.nextDouble() < wrongShare) {
            propensity *= 0.5;
        }
        boolean rewarded = random.nextDouble() < world.reward(context, decision.action());
        inFlight.add(
                new InFlight(
                        new LoggedExample(
                                x,
                                allowed,
                                decision.action(),
                                propensity,
                                rewarded ? 1.0 : 0.0,
                                rollout.activeVersion()),
                        new DecisionOrigin(loop.spec().version(), kind, rollout.split(), nowMs())));
        events++;
        if (inFlight.size() > delay) {
            InFlight next = inFlight.remove();
            loop.take(next.example(), next.origin(), nowMs(), this);
        }
    }

    private Decision decide(Rollout rollout, DenseVector x, AllowedActions allowed) {
        Policy active = policy(rollout.activeVersion());
        if (rollout.split().isEmpty()) {
            return active.decide(x, allowed, random);
        }
        Split split = rollout.split().get();
        return new SplitPolicy(active, policy(split.candidateVersion()), split)
                .decide(
                        x,
                        allowed,
                        CanaryShare.decidesCanary(LOOP, "event-" + events, split.share()),
                        random);
    }

    private Policy policy(long version) {
        return policies.computeIfAbsent(
                version, it -> loop.spec().policyOf(versions.parameters(it).orElseThrow()));
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
        changes.add(change);
        policies.clear();
        if (change.startsGeneration() && change.reason().contains("with error probability")) {
            decidedAt = OptionalInt.of(events);
        }
    }

    /** The number of events after which the gate promoted a version, or rolled back. */
    OptionalInt decidedAt() {
        return decidedAt;
    }

    /** All changes of the rollout so far. */
    List<RolloutChange> changes() {
        return changes;
    }

    /**
     * The lower bound on the difference of the candidate, or of one just promoted; empty if there
     * is none.
     */
    OptionalDouble differenceBound() {
        Optional<GateBounds> bounds =
                decidedAt.isPresent()
                        ? changes.get(changes.size() - 1).bounds()
                        : loop.gate().candidateBounds();
        return bounds.stream().mapToDouble(GateBounds::differenceLower).findFirst();
    }

    /** The true value of a version under the spec in force. */
    double value(long version) {
        return world.value(policy(version));
    }
}
