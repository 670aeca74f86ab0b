package io.counterflow.schemas;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Features;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.EventTime;
import io.counterflow.core.log.NamedEncoder;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.loop.LearnerSpec;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.LoggingPolicy;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.rollout.GateSpec;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.LoopName;
import io.counterflow.core.spec.LoopShape;
import io.counterflow.core.spec.RolloutMode;
import io.counterflow.schemas.wire.LoopSpecConversion;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How a loop decides, learns and rolls out. Immutable, and checked once, here: what is told to the
 * learner, the gate and serving follows from it without a further refusal.
 *
 * @param loop the loop's name
 * @param version version of this spec, from 1, rising with each change
 * @param time when this version was asked for: its place in the order of the loop; kept to the
 *     microsecond
 * @param shape actions and features
 * @param normBound features are scaled down to this norm; empty leaves them as they are
 * @param decisions how actions are drawn
 * @param startingPolicy the policy that the loop starts with, under its own version; empty starts
 *     with the uniform policy as version 0
 * @param learning what is learned
 * @param rewardRule how rewards are joined; whether a decision is deferred is said by its request
 * @param rollout how candidates go live
 */
public record LoopSpec(
        String loop,
        long version,
        Instant time,
        LoopShape shape,
        OptionalDouble normBound,
        DecisionRule decisions,
        Optional<PolicySnapshot> startingPolicy,
        LearningRule learning,
        RewardRule rewardRule,
        RolloutRule rollout) {

    /**
     * Largest parameter that a loop may start with. With it, and features within reach of the
     * learner, every score is within the range of a float, also of steeper specs that come later.
     */
    private static final double LARGEST_START = 1e15;

    /** Largest version that a loop may start with: it counts on from there. */
    private static final long LARGEST_STARTING_VERSION = 1L << 53;

    public LoopSpec {
        LoopName.require(loop);
        Require.atLeast(1, version, "version");
        time = EventTime.require("time", time);
        if (normBound.isPresent()) {
            Require.finiteAboveZero(normBound.getAsDouble(), "normBound");
        }
        if (startingPolicy.isPresent()) {
            requireFits(startingPolicy.get(), shape);
            requireWithinReach(startingPolicy.get());
        }
        if (rewardRule.deferred()) {
            throw new IllegalArgumentException("deferred must be said by a request, not by a spec");
        }
        if (rollout.mode() == RolloutMode.GATED
                && decisions.policy() != DecisionRule.Kind.SOFTMAX) {
            throw new IllegalArgumentException(
                    "policy must be softmax where rolloutMode is gated, because the gate needs"
                            + " exact probabilities, got "
                            + decisions.policy());
        }
    }

    private static void requireFits(PolicySnapshot start, LoopShape shape) {
        if (!shape.fits(start.model(), start.encoder())) {
            String encoder =
                    start.encoder()
                            .map(
                                    it ->
                                            ", interactions %s, actionIds %s"
                                                    .formatted(it.interactions(), it.actionIds()))
                            .orElse("");
            throw new IllegalArgumentException(
                    "startingPolicy must have the loop's shape (%s), got a %s%s"
                            .formatted(shape, start.model(), encoder));
        }
    }

    private static void requireWithinReach(PolicySnapshot start) {
        if (start.version() > LARGEST_STARTING_VERSION) {
            throw new IllegalArgumentException(
                    "startingPolicy.version must be at most %d, got %d"
                            .formatted(LARGEST_STARTING_VERSION, start.version()));
        }
        for (float parameter : FlatParameters.of(start.model())) {
            if (!(Math.abs(parameter) <= LARGEST_START)) {
                throw new IllegalArgumentException(
                        "startingPolicy must have parameters in [-1e15, 1e15], got " + parameter);
            }
        }
    }

    /** A first spec with the schema's defaults for all but the shape. */
    public static LoopSpec of(String loop, Instant time, LoopShape shape) {
        return LoopSpecConversion.withDefaults(loop, 1, time, shape);
    }

    /** What the loop's learner is told. */
    public LearnerSpec learnerSpec() {
        return learning.learnerSpec(shape.zeros());
    }

    /** What the loop's gate is told. */
    public GateSpec gateSpec() {
        return rollout.gateSpec(learning.delta());
    }

    /** How named features are hashed; empty where contexts are vectors. */
    public Optional<EncoderSpec> encoder() {
        return shape.encoder();
    }

    /** A new encoder with buffers of its own, for one thread. The norm bound is enforced. */
    public NamedEncoder namedEncoder() {
        if (encoder().isEmpty()) {
            return NamedEncoder.none();
        }
        HashedEncoder hashed = new HashedEncoder(encoder().get());
        if (normBound.isEmpty()) {
            return hashed::encode;
        }
        double most = normBound.getAsDouble();
        return (context, actions) -> hashed.encode(context, actions).boundedBy(most);
    }

    /** The features with the norm bound enforced: context vectors need it as well. */
    public Features bounded(Features features) {
        return normBound.isPresent() ? features.boundedBy(normBound.getAsDouble()) : features;
    }

    /** The actions of requests with named features that bring none; may be empty. */
    public List<NamedAction> fixedActions() {
        return shape.fixedActions();
    }

    /** The version that the loop starts with. */
    public long startingVersion() {
        return startingPolicy.map(PolicySnapshot::version).orElse(0L);
    }

    /** The parameters that the loop starts with: zeros, the uniform policy, when none are given. */
    public LinearModel startingModel() {
        return startingPolicy.map(PolicySnapshot::model).orElseGet(shape::zeros);
    }

    /** The policy with these parameters and its exact probabilities; not for a mixed logit. */
    public Policy policyOf(LinearModel model) {
        return decisions.policyOf(model);
    }

    /**
     * The policy with these parameters, as it is judged: of a mixed logit the softmax of its mean.
     */
    public Policy judgedPolicyOf(LinearModel model) {
        return decisions.judgedPolicyOf(model);
    }

    /** The policy with these parameters, as it decides. */
    public LoggingPolicy loggingPolicyOf(LinearModel model) {
        return decisions.loggingPolicyOf(model);
    }

    /**
     * SHA-256 of all that the spec says but its version and time, in lower-case hexadecimal digits.
     */
    public String digest() {
        return LoopSpecConversion.digest(this);
    }

    /** By what is said: parameters of a starting policy count by their bits. */
    @Override
    public boolean equals(Object other) {
        return other instanceof LoopSpec that
                && version == that.version
                && time.equals(that.time)
                && loop.equals(that.loop)
                && digest().equals(that.digest());
    }

    @Override
    public int hashCode() {
        return 31 * loop.hashCode() + Long.hashCode(version);
    }

    /** Without its content: features of actions do not belong in logs. */
    @Override
    public String toString() {
        return "spec %d of loop %s".formatted(version, loop);
    }
}
