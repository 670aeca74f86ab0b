package io.counterflow.core.spec;

import io.counterflow.core.features.EncoderBuffers;
import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.HashedEncoder;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.features.NamedFeatures;
import io.counterflow.core.learn.AdaGrad;
import io.counterflow.core.log.EventTime;
import io.counterflow.core.log.FeatureAssembly;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.log.RewardRule;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.objective.BayesianSetting;
import io.counterflow.core.objective.Objective;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.objective.ObjectiveSettings;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.policy.VersionParameters;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * How a loop decides, learns and rolls out: a value for each of {@link LoopSettings}. Immutable,
 * and valid: learner, gate and serving need no further checks.
 */
public final class LoopSpec {

    static final int MAX_BUFFER = 10_000_000;

    /**
     * Largest parameter of a starting or registered policy. It ensures that every score is within
     * the range of a float, even if a later spec has a higher inverse temperature.
     */
    public static final double MAX_PARAMETER = 1e15;

    /** Largest version of a starting policy; later versions are higher. */
    private static final long MAX_STARTING_VERSION = 1L << 53;

    private final String loop;
    private final long version;
    private final Instant time;
    private final Map<Setting<?>, Object> values;
    private final LoopShape shape;
    private final List<String> actionIds;
    private final DecisionRule decisionRule;
    private final RewardRule rewardRule;

    private LoopSpec(String loop, long version, Instant time, Map<Setting<?>, Object> values) {
        this.loop = LoopName.require(loop);
        this.version = Require.atLeast(1, version, "version");
        this.time = EventTime.require("time", time);
        this.values = Map.copyOf(values);
        this.shape =
                LoopShape.of(
                        get(LoopSettings.FEATURES),
                        get(LoopSettings.BITS),
                        get(LoopSettings.ACTIONS),
                        get(LoopSettings.INTERACTIONS),
                        get(LoopSettings.ACTION_IDS));
        this.actionIds = get(LoopSettings.ACTIONS).stream().map(NamedAction::id).toList();
        this.decisionRule =
                new DecisionRule(
                        get(LoopSettings.POLICY),
                        get(LoopSettings.INVERSE_TEMPERATURE),
                        get(LoopSettings.EXPLORATION_FLOOR),
                        hasLearnedVariance()
                                ? OptionalDouble.of(get(LoopSettings.PRIOR_VARIANCE))
                                : get(LoopSettings.VARIANCE),
                        get(LoopSettings.PROPENSITY_KIND),
                        whole(LoopSettings.PROPENSITY_DRAWS));
        this.rewardRule =
                new RewardRule(
                        get(LoopSettings.ATTRIBUTION_WINDOW),
                        rewardRange().toUnit("defaultReward", get(LoopSettings.DEFAULT_REWARD)),
                        get(LoopSettings.REWARD_AGGREGATION),
                        false,
                        get(LoopSettings.GUARDRAIL_MARGIN).isPresent()
                                ? OptionalDouble.of(get(LoopSettings.GUARDRAIL_DEFAULT_REWARD))
                                : OptionalDouble.empty(),
                        rewardRange().zero());
        Require.that(
                Math.abs(minimumGain()) <= 1.0,
                "minimumGain must not be larger than the width of rewardRange %s, got %s",
                rewardRange(),
                get(LoopSettings.MINIMUM_GAIN));
        Require.that(
                get(LoopSettings.BUFFER_CAPACITY) >= get(LoopSettings.BATCH_SIZE),
                "bufferCapacity must be at least the batchSize %d, got %d",
                get(LoopSettings.BATCH_SIZE),
                get(LoopSettings.BUFFER_CAPACITY));
        Require.that(
                get(LoopSettings.ROLLOUT_MODE) != RolloutMode.GATED
                        || decisionRule.propensityKind() != PropensityKind.ESTIMATED,
                "propensityKind must be exact or upperBound where rolloutMode is gated, because"
                        + " estimates do not show which version is better, got estimated");
        requireApprentice();
        Require.that(
                !get(LoopSettings.OBJECTIVE_NAME).isBayesian()
                        || get(LoopSettings.NORM_BOUND).isPresent(),
                "normBound must be given with the objective %s, which depends on the largest norm"
                        + " of the features, got none",
                get(LoopSettings.OBJECTIVE_NAME));
        Require.that(
                get(LoopSettings.LEARNER) != LearnerKind.REWARD_MODEL || !needsPosterior(),
                "learner must be lpr or best with a mixed logit or the objective bcrm or"
                        + " bcrm-convex, because a reward model has no posterior over policies,"
                        + " got reward-model");
        requireFeatureLimit();
        startingPolicy().ifPresent(this::requireStart);
    }

    private void requireApprentice() {
        Require.that(
                !isApprentice() || get(LoopSettings.LEARNER) != LearnerKind.REWARD_MODEL,
                "learner must be lpr or best where rolloutMode is apprentice, because a reward model"
                        + " does not learn from decisions that no version drew, got reward-model");
        Require.that(
                !isApprentice() || !hasHoldout(),
                "holdoutShare must be 0 where rolloutMode is apprentice, because no version decides"
                        + " events, got %s",
                get(LoopSettings.HOLDOUT_SHARE));
    }

    /** Otherwise every request with the fixed actions would be refused. */
    private void requireFeatureLimit() {
        if (fixedActions().isEmpty()) {
            return;
        }
        try {
            Object unused =
                    encoder(new EncoderBuffers()).encode(NamedFeatures.none(), fixedActions());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "featureLimit must allow the features of the actions: " + e.getMessage(), e);
        }
    }

    private boolean needsPosterior() {
        return get(LoopSettings.POLICY) == PolicyKind.MIXED_LOGIT
                || get(LoopSettings.OBJECTIVE_NAME).isBayesian();
    }

    private void requireStart(PolicySnapshot start) {
        requireFits(start, "startingPolicy");
        Require.atMost(MAX_STARTING_VERSION, start.version(), "startingPolicy.version");
        Object unused = decisionRule(start.variance()); // refuses a variance that is too large
    }

    /**
     * Refuses a policy of another shape, or with parameters that give scores that are not finite.
     *
     * @param field what messages call the policy
     */
    public void requireFits(PolicySnapshot policy, String field) {
        if (!shape.fits(policy.model(), policy.encoder())) {
            String encoder =
                    policy.encoder()
                            .map(
                                    it ->
                                            ", interactions %s, actionIds %s"
                                                    .formatted(it.interactions(), it.actionIds()))
                            .orElse("");
            throw new IllegalArgumentException(
                    "%s must have the loop's shape (%s), got a %s%s"
                            .formatted(field, shape, policy.model(), encoder));
        }
        for (float parameter : FlatParameters.of(policy.model())) {
            if (!(Math.abs(parameter) <= MAX_PARAMETER)) {
                throw new IllegalArgumentException(
                        "%s must have parameters in [-1e15, 1e15], got %s"
                                .formatted(field, parameter));
            }
        }
    }

    /** A first spec; all settings have their defaults until they are set. */
    public static Builder builder(String loop) {
        return new Builder(loop, 1, Instant.EPOCH);
    }

    /** Collects settings. Not thread safe. */
    public static final class Builder {

        private final String loop;
        private final Map<Setting<?>, Object> values = new HashMap<>();
        private long version;
        private Instant time;

        private Builder(String loop, long version, Instant time) {
            this.loop = loop;
            this.version = version;
            this.time = time;
            for (Setting<?> setting : LoopSettings.ALL) {
                values.put(setting, setting.defaultValue());
            }
        }

        /**
         * Sets a value.
         *
         * @throws IllegalArgumentException if it is out of range
         */
        public <T> Builder set(Setting<T> setting, T value) {
            values.put(setting, setting.check(value));
            return this;
        }

        @SuppressWarnings("unchecked") // values are put by setters of the same type
        public <T> T get(Setting<T> setting) {
            return (T) Objects.requireNonNull(values.get(setting));
        }

        /** For a loop whose contexts are vectors of this dimension. */
        public Builder vectors(int features, String... actionIds) {
            set(LoopSettings.FEATURES, OptionalLong.of(features));
            return set(LoopSettings.ACTIONS, LoopShape.unnamed(List.of(actionIds)));
        }

        /** For a loop with named features. */
        public Builder names(int bits) {
            return set(LoopSettings.BITS, OptionalLong.of(bits));
        }

        /**
         * Sets the version, which starts at 1 and increases with each change, and the time of the
         * request.
         */
        public Builder at(long newVersion, Instant newTime) {
            version = newVersion;
            time = newTime;
            return this;
        }

        /**
         * The spec.
         *
         * @throws IllegalArgumentException if settings contradict each other; the message names one
         */
        public LoopSpec build() {
            return new LoopSpec(loop, version, time, values);
        }
    }

    /** A builder with all settings of this spec. */
    public Builder toBuilder() {
        Builder builder = new Builder(loop, version, time);
        builder.values.putAll(values);
        return builder;
    }

    /** The same spec with one setting changed. */
    public <T> LoopSpec with(Setting<T> setting, T value) {
        return toBuilder().set(setting, value).build();
    }

    @SuppressWarnings("unchecked") // values are put by setters of the same type
    public <T> T get(Setting<T> setting) {
        return (T) Objects.requireNonNull(values.get(setting));
    }

    /** The value of a whole number whose range is within an int. */
    public int whole(Setting<Long> setting) {
        return Math.toIntExact(get(setting));
    }

    public String loop() {
        return loop;
    }

    /** Version of this spec, which starts at 1 and increases with each change. */
    public long version() {
        return version;
    }

    /**
     * The time at which this version was requested, which orders it among the events of the loop.
     */
    public Instant time() {
        return time;
    }

    public LoopShape shape() {
        return shape;
    }

    /** The ids of the fixed list of actions, in order; empty if every request has its own. */
    public List<String> actionIds() {
        return actionIds;
    }

    /**
     * How a version without a variance of its own draws actions. Versions differ only in their
     * variance, and only if {@link #hasLearnedVariance}.
     */
    public DecisionRule decisionRule() {
        return decisionRule;
    }

    /**
     * How a version draws actions.
     *
     * @param variance the variance that the version has; used if {@link #hasLearnedVariance}
     */
    public DecisionRule decisionRule(OptionalDouble variance) {
        return hasLearnedVariance() && variance.isPresent()
                ? decisionRule.withVariance(variance.getAsDouble())
                : decisionRule;
    }

    /**
     * Whether each version is served with its own variance: a mixed logit whose variance this spec
     * does not fix, and a Bayesian objective, which learns it.
     */
    public boolean hasLearnedVariance() {
        return get(LoopSettings.POLICY) == PolicyKind.MIXED_LOGIT
                && get(LoopSettings.OBJECTIVE_NAME).isBayesian()
                && get(LoopSettings.VARIANCE).isEmpty();
    }

    /**
     * Refuses a version that cannot be served because it has no variance.
     *
     * @throws IllegalArgumentException if there is none and {@link #hasLearnedVariance}
     */
    public void requireVariance(OptionalDouble variance) {
        Require.that(
                !hasLearnedVariance() || variance.isPresent(),
                "the snapshot must have a variance, because the loop serves a mixed logit with"
                        + " learned variances, got none");
    }

    /** The policy of a version under this spec. */
    public Policy policyOf(VersionParameters version) {
        return new Policy(version.model(), decisionRule(version.variance()));
    }

    /** The policy of a version without a variance of its own. */
    public Policy policyOf(LinearModel model) {
        return policyOf(VersionParameters.of(model));
    }

    /** What the loop learns with; only LPR has the posterior that some policies need. */
    public LearnerKind learner() {
        return needsPosterior() ? LearnerKind.LPR : get(LoopSettings.LEARNER);
    }

    /** How rewards are joined. Whether a decision is deferred depends on its request. */
    public RewardRule rewardRule() {
        return rewardRule;
    }

    /** The range of rewards, in the loop's own unit. */
    public RewardRange rewardRange() {
        return get(LoopSettings.REWARD_RANGE);
    }

    /** The gain that the gate demands, for rewards in [0, 1]. */
    public double minimumGain() {
        return rewardRange().differenceToUnit(get(LoopSettings.MINIMUM_GAIN));
    }

    /**
     * The objective.
     *
     * @param examples n, the number of examples so far, for the Bayesian objectives; fewer than two
     *     count as two
     */
    public Objective objective(long examples) {
        ObjectiveName name = get(LoopSettings.OBJECTIVE_NAME);
        ObjectiveSettings settings =
                ObjectiveSettings.of(
                                get(LoopSettings.LAMBDA),
                                get(LoopSettings.TAU),
                                get(LoopSettings.SMOOTHING))
                        .servedBy(decisionRule);
        return name.objective(name.isBayesian() ? settings.with(bayesian(examples)) : settings);
    }

    /**
     * The constants of a Bayesian objective. An inverse temperature β multiplies every feature by
     * β, and a bias counts as the weight of a constant feature.
     *
     * @param examples n, the number of examples so far; fewer than two count as two
     */
    public BayesianSetting bayesian(long examples) {
        double norm = get(LoopSettings.NORM_BOUND).orElseThrow();
        boolean biases = shape instanceof LoopShape.Dense;
        return new BayesianSetting(
                Math.max(2, examples),
                get(LoopSettings.TAU),
                get(LoopSettings.PRIOR_VARIANCE),
                get(LoopSettings.INVERSE_TEMPERATURE)
                        * (biases ? StrictMath.hypot(norm, 1.0) : norm),
                shape.parameterCount());
    }

    public AdaGrad optimizer() {
        return new AdaGrad(get(LoopSettings.LEARNING_RATE), get(LoopSettings.ADA_GRAD_SMOOTHING));
    }

    /** How named features are hashed; empty if contexts are vectors. */
    public Optional<EncoderSpec> encoder() {
        return shape.encoder();
    }

    /** A new assembly of features with buffers of its own, for one thread. */
    public FeatureAssembly assembly() {
        return assembly(new EncoderBuffers());
    }

    /** A new assembly of features that shares the buffers of its thread. */
    public FeatureAssembly assembly(EncoderBuffers buffers) {
        return shape instanceof LoopShape.Dense dense
                ? FeatureAssembly.ofVectors(dense.features(), get(LoopSettings.NORM_BOUND))
                : FeatureAssembly.ofNames(encoder(buffers), get(LoopSettings.NORM_BOUND));
    }

    private HashedEncoder encoder(EncoderBuffers buffers) {
        return new HashedEncoder(
                encoder().orElseThrow(), whole(LoopSettings.FEATURE_LIMIT), buffers);
    }

    /** The actions for requests with named features and without actions; may be empty. */
    public List<NamedAction> fixedActions() {
        return shape.fixedActions();
    }

    public Optional<PolicySnapshot> startingPolicy() {
        return get(LoopSettings.STARTING_POLICY);
    }

    /** The version that the loop starts with. */
    public long startingVersion() {
        return startingPolicy().map(PolicySnapshot::version).orElse(0L);
    }

    /** Whether the first action of each request is shown, and no version decides. */
    public boolean isApprentice() {
        return get(LoopSettings.ROLLOUT_MODE) == RolloutMode.APPRENTICE;
    }

    /** Whether the baseline version decides a share of the events. */
    public boolean hasHoldout() {
        return get(LoopSettings.HOLDOUT_SHARE) > 0.0;
    }

    /** The baseline version, which decides the holdout if there is one. */
    public long holdoutVersion() {
        return get(LoopSettings.HOLDOUT_VERSION).orElse(startingVersion());
    }

    /**
     * The parameters that the loop starts with: zeros, which is the uniform policy, if none are
     * given.
     */
    public LinearModel startingModel() {
        return startingPolicy().map(PolicySnapshot::model).orElseGet(shape::zeros);
    }

    /** The same with its variance, if the starting policy has one. */
    public VersionParameters startingParameters() {
        return startingPolicy()
                .map(PolicySnapshot::parameters)
                .orElseGet(() -> VersionParameters.of(shape.zeros()));
    }

    /** Whether another spec has the same settings; version and time may differ. */
    public boolean hasSettingsOf(LoopSpec other) {
        return values.equals(other.values);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LoopSpec that
                && version == that.version
                && time.equals(that.time)
                && loop.equals(that.loop)
                && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return 31 * loop.hashCode() + Long.hashCode(version);
    }

    /** Without settings, because features of actions must not be logged. */
    @Override
    public String toString() {
        return "spec %d of loop %s".formatted(version, loop);
    }
}
