package io.counterflow.core.spec;

import static io.counterflow.core.spec.ChangeRule.immediate;
import static io.counterflow.core.spec.ChangeRule.nextGeneration;
import static io.counterflow.core.spec.ChangeRule.refused;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.learn.ObjectiveName;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * All settings of a loop, in the order in which specs are written. To add one: add it here and to
 * the Avro schema, and use it.
 *
 * <p>Ranges keep every number that learning and serving compute from a setting within the range of
 * a float.
 */
public final class LoopSettings {

    private static final List<Setting<?>> TABLE = new ArrayList<>();

    private static final String DECISIONS = "later decisions use it";
    private static final String STEPS = "later steps use it";
    private static final String GATE = "the gate uses it from now on";
    private static final String OBJECTIVE = "the parameters were learned for another objective";
    private static final String SHAPE =
            "parameters mean other features or actions; create a new loop";

    private static final Range SHARE = Range.closed(0.0, 1.0);
    private static final Range POSITIVE_SHARE = Range.above(0.0, 1.0);

    // Actions and features.

    public static final Setting<OptionalLong> FEATURES =
            add(
                    Setting.optionalWhole(
                            "features",
                            Range.closed(1, LoopShape.MAX_FEATURES),
                            refused(SHAPE),
                            "Number of coordinates of a context, for a loop whose contexts are"
                                    + " vectors. Either this or `bits` is required."));

    public static final Setting<OptionalLong> BITS =
            add(
                    Setting.optionalWhole(
                            "bits",
                            Range.closed(1, LoopShape.MAX_BITS),
                            refused(SHAPE),
                            "For a loop with named features: they are hashed into two to this power"
                                    + " weights. Either this or `features` is required."));

    public static final Setting<List<NamedAction>> ACTIONS =
            add(
                    Setting.list(
                            "actions",
                            Setting.Kind.ACTIONS,
                            List.of(),
                            new ChangeRule(
                                    (before, after) ->
                                            after.get(FEATURES).isPresent()
                                                    ? SpecChange.Verdict.REFUSED
                                                    : SpecChange.Verdict.IMMEDIATE,
                                    "`refused` with `features`, `immediate` with `bits`",
                                    "vectors are scored by the position of an action; named"
                                            + " features by what is known of it"),
                            "The fixed list of actions. With `features`: their ids, required, in the"
                                    + " order that impressions count them. With `bits`: ids and"
                                    + " features, for requests that bring no actions."));

    public static final Setting<List<Interaction>> INTERACTIONS =
            add(
                    Setting.list(
                            "interactions",
                            Setting.Kind.INTERACTIONS,
                            EncoderSpec.ALL_INTERACTIONS,
                            refused(SHAPE),
                            "Namespaces of named features whose features are crossed, each like"
                                    + " \"user:topic\"; `*` is any namespace. None: the context has"
                                    + " no influence."));

    public static final Setting<Boolean> ACTION_IDS =
            add(
                    Setting.flag(
                            "actionIds",
                            true,
                            refused(SHAPE),
                            "Whether an action's id is one of its named features."));

    public static final Setting<OptionalDouble> NORM_BOUND =
            add(
                    Setting.optionalNumber(
                            "normBound",
                            Range.above(0.0, 1e15),
                            immediate("later features are scaled by it"),
                            "Longer feature vectors are scaled down to this norm; none leaves them"
                                    + " as they are."));

    // Decisions.

    public static final Setting<PolicyKind> POLICY =
            add(
                    Setting.word(
                            "policy",
                            PolicyKind.SOFTMAX,
                            List.of(PolicyKind.values()),
                            immediate(DECISIONS),
                            "How actions are drawn from scores."));

    public static final Setting<PropensityKind> PROPENSITY_KIND =
            add(
                    Setting.word(
                            "propensityKind",
                            PropensityKind.EXACT,
                            List.of(
                                    PropensityKind.EXACT,
                                    PropensityKind.ESTIMATED,
                                    PropensityKind.UPPER_BOUND),
                            immediate(DECISIONS),
                            "What is logged as the propensity: exact for a softmax, estimated or an"
                                    + " upper bound for a mixed logit."));

    public static final Setting<Long> PROPENSITY_DRAWS =
            add(
                    Setting.whole(
                            "propensityDraws",
                            DecisionRule.DEFAULT_DRAWS,
                            Range.closed(DecisionRule.MIN_DRAWS, DecisionRule.MAX_DRAWS),
                            immediate(DECISIONS),
                            "Draws of the scores behind a propensity that is estimated."));

    public static final Setting<OptionalDouble> VARIANCE =
            add(
                    Setting.optionalNumber(
                            "variance",
                            Range.above(0.0, DecisionRule.MAX_VARIANCE),
                            immediate(DECISIONS),
                            "Variance of the posterior that a mixed logit draws from; none for a"
                                    + " softmax."));

    public static final Setting<Double> INVERSE_TEMPERATURE =
            add(
                    Setting.number(
                            "inverseTemperature",
                            1.0,
                            Range.closed(0.0, DecisionRule.MAX_INVERSE_TEMPERATURE),
                            nextGeneration(
                                    "the parameters were learned for it, and the prior must be fixed"
                                            + " before the data"),
                            "Scores are multiplied by this: 0 is uniform, larger is greedier."));

    public static final Setting<Double> EXPLORATION_FLOOR =
            add(
                    Setting.number(
                            "explorationFloor",
                            0.05,
                            SHARE,
                            immediate(DECISIONS),
                            "Share of uniform draws: of n actions, none is less probable than this"
                                    + " divided by n."));

    public static final Setting<Long> DISTRIBUTION_LIMIT =
            add(
                    Setting.whole(
                            "distributionLimit",
                            100,
                            Range.closed(0, LoopShape.MAX_ACTIONS),
                            immediate(DECISIONS),
                            "Up to this many actions, impressions log the whole distribution."));

    public static final Setting<UnloggedDecision> UNLOGGED_DECISION =
            add(
                    Setting.word(
                            "unloggedDecision",
                            UnloggedDecision.REFUSE,
                            List.of(UnloggedDecision.values()),
                            immediate(DECISIONS),
                            "What serving does with a decision that cannot be logged."));

    // Learning.

    public static final Setting<ObjectiveName> OBJECTIVE_NAME =
            add(
                    Setting.word(
                            "objective",
                            ObjectiveName.TRUST_LPR,
                            ObjectiveName.ofStreams(),
                            nextGeneration(OBJECTIVE),
                            "The training objective."));

    public static final Setting<Double> LAMBDA =
            add(
                    Setting.number(
                            "lambda",
                            1e-6,
                            Range.closed(0.0, 1e9),
                            nextGeneration(OBJECTIVE),
                            "Strength of the regularisation, λ."));

    public static final Setting<Double> TAU =
            add(
                    Setting.number(
                            "tau",
                            0.01,
                            Range.closed(1e-12, 1.0),
                            nextGeneration(
                                    "the paper's bound needs it fixed before the data, and most"
                                            + " objectives divide by it"),
                            "Smallest propensity used as a divisor, τ."));

    public static final Setting<Double> SMOOTHING =
            add(
                    Setting.number(
                            "smoothing",
                            0.003,
                            Range.closed(1e-6, 1e6),
                            new ChangeRule(
                                    (before, after) ->
                                            after.get(OBJECTIVE_NAME) == ObjectiveName.LS_LPR
                                                    ? SpecChange.Verdict.NEXT_GENERATION
                                                    : SpecChange.Verdict.IMMEDIATE,
                                    "`nextGeneration` with `ls-lpr`, otherwise `immediate`",
                                    "the parameters of ls-lpr are learned for it; elsewhere only"
                                            + " estimates use it"),
                            "Logarithmic smoothing of `ls-lpr` and of the smoothed estimates; about"
                                    + " one over the square root of the number of examples."));

    public static final Setting<Double> DELTA =
            add(
                    Setting.number(
                            "delta",
                            0.05,
                            Range.closed(1e-9, 0.999),
                            immediate("later certificates and comparisons are stated at it"),
                            "Bounds hold with probability at least 1 − δ, and the gate promotes a"
                                    + " worse version with probability at most δ."));

    public static final Setting<Double> PRIOR_VARIANCE =
            add(
                    Setting.number(
                            "priorVariance",
                            1.0,
                            Range.closed(1e-12, 1e12),
                            nextGeneration("the prior must be fixed before the data"),
                            "Variance of the prior in the bounds, σ₀², of the parameters times the inverse"
                                    + " temperature."));

    public static final Setting<Double> LEARNING_RATE =
            add(
                    Setting.number(
                            "learningRate",
                            1.0,
                            Range.above(0.0, 1e6),
                            immediate(STEPS),
                            "Step size of AdaGrad."));

    public static final Setting<Double> ADA_GRAD_SMOOTHING =
            add(
                    Setting.number(
                            "adaGradSmoothing",
                            1.0,
                            Range.closed(1e-12, 1e12),
                            immediate(STEPS),
                            "Smoothing of AdaGrad, added outside the root."));

    public static final Setting<Long> BATCH_SIZE =
            add(
                    Setting.whole(
                            "batchSize",
                            100,
                            Range.closed(1, LoopSpec.MAX_BUFFER),
                            immediate(STEPS),
                            "Examples per step."));

    public static final Setting<Long> REPLAY =
            add(
                    Setting.whole(
                            "replay",
                            64,
                            Range.closed(0, 1_000),
                            immediate(STEPS),
                            "Further steps on examples from the buffer, per fresh step."));

    public static final Setting<Long> BUFFER_CAPACITY =
            add(
                    Setting.whole(
                            "bufferCapacity",
                            100_000,
                            Range.closed(1, LoopSpec.MAX_BUFFER),
                            immediate("the most recent examples are kept"),
                            "Most recent examples of a generation that are kept for further steps"
                                    + " and for certificates; at least `batchSize`."));

    public static final Setting<Long> SEED =
            add(
                    Setting.whole(
                            "seed",
                            1,
                            Range.ANY,
                            immediate("later draws use it"),
                            "Seed of the draws from the buffer."));

    public static final Setting<Long> SNAPSHOT_EXAMPLES =
            add(
                    Setting.whole(
                            "snapshotExamples",
                            10_000,
                            Range.atLeast(0),
                            immediate("the next candidate is frozen by it"),
                            "A candidate is frozen after this many examples; 0 for no such limit."));

    public static final Setting<Duration> SNAPSHOT_INTERVAL =
            add(
                    Setting.duration(
                            "snapshotInterval",
                            Duration.ZERO,
                            immediate("the next candidate is frozen by it"),
                            "A candidate is frozen after this much event time; 0s for no such"
                                    + " limit."));

    // Rewards.

    public static final Setting<Duration> ATTRIBUTION_WINDOW =
            add(
                    Setting.duration(
                            "attributionWindow",
                            Duration.ofMinutes(10),
                            immediate(DECISIONS),
                            "How long after a decision its rewards count. The decision is learned"
                                    + " from when this time is over."));

    public static final Setting<Double> DEFAULT_REWARD =
            add(
                    Setting.number(
                            "defaultReward",
                            0.0,
                            SHARE,
                            immediate(DECISIONS),
                            "The reward of a decision for which none came in time."));

    public static final Setting<RewardAggregation> REWARD_AGGREGATION =
            add(
                    Setting.word(
                            "rewardAggregation",
                            RewardAggregation.FIRST,
                            List.of(RewardAggregation.values()),
                            immediate(DECISIONS),
                            "Which of several rewards counts."));

    // Rollout.

    public static final Setting<RolloutMode> ROLLOUT_MODE =
            add(
                    Setting.word(
                            "rolloutMode",
                            RolloutMode.MANUAL,
                            List.of(RolloutMode.values()),
                            immediate(GATE),
                            "Who decides that a new version goes live: a person, nobody, or the"
                                    + " gate."));

    public static final Setting<Double> CANARY_SHARE =
            add(
                    Setting.number(
                            "canaryShare",
                            1.0,
                            POSITIVE_SHARE,
                            immediate(GATE),
                            "Share of events that a version which passed the gate decides at first;"
                                    + " 1 for all at once."));

    public static final Setting<Long> CANDIDATE_EXAMPLES =
            add(
                    Setting.whole(
                            "candidateExamples",
                            10_000,
                            Range.atLeast(1),
                            immediate(GATE),
                            "A candidate's turn: examples on which it is judged before a newer one"
                                    + " takes its place, and which a canary decides before it gets"
                                    + " all events."));

    public static final Setting<Boolean> AUTOMATIC_ROLLBACK =
            add(
                    Setting.flag(
                            "automaticRollback",
                            true,
                            immediate(GATE),
                            "Whether the gate may return to the previous version when the active"
                                    + " one turns out worse."));

    public static final Setting<Optional<PolicySnapshot>> STARTING_POLICY =
            add(
                    Setting.snapshot(
                            "startingPolicy",
                            refused("the loop has started with another; create a new loop"),
                            "The policy that the loop starts with, under its own version; none"
                                    + " starts with the uniform policy as version 0."));

    /** All settings, in the order in which specs are written. */
    public static final List<Setting<?>> ALL = List.copyOf(TABLE);

    private LoopSettings() {}

    private static <T> Setting<T> add(Setting<T> setting) {
        TABLE.add(setting);
        return setting;
    }

    /** The setting of this name. */
    public static Optional<Setting<?>> named(String name) {
        for (Setting<?> setting : ALL) {
            if (setting.name().equals(name)) {
                return Optional.of(setting);
            }
        }
        return Optional.empty();
    }
}
