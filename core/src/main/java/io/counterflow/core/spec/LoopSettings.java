package io.counterflow.core.spec;

import io.counterflow.core.features.EncoderSpec;
import io.counterflow.core.features.Interaction;
import io.counterflow.core.features.NamedAction;
import io.counterflow.core.log.RewardAggregation;
import io.counterflow.core.log.RewardRange;
import io.counterflow.core.objective.ObjectiveName;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.PolicyKind;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.snapshot.PolicySnapshot;
import io.counterflow.core.spec.Setting.Kind;
import io.counterflow.core.spec.SpecChange.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.BiFunction;

/**
 * All settings of a loop, in the order in which specs are written. To add one: add it here and to
 * the Avro schema, and use it.
 *
 * <p>Ranges ensure that every number that is computed from a setting is within the range of a
 * float.
 */
public final class LoopSettings {

    private static final List<Setting<?>> TABLE = new ArrayList<>();

    private static final String DECISIONS = "later decisions use it";
    private static final String STEPS = "later steps use it";
    private static final String GATE = "the gate uses it from now on";
    private static final String HOLDOUT =
            "later decisions use it, and the gain is measured from the beginning";
    private static final String OBJECTIVE =
            "the current parameters were learned with the old value";
    private static final String SHAPE =
            "the parameters belong to the old features or actions; create a new loop";

    private static final Range SHARE = Range.closed(0.0, 1.0);
    private static final Range POSITIVE_SHARE = Range.above(0.0, 1.0);

    // Actions and features.

    public static final Setting<OptionalLong> FEATURES =
            optionalWhole("features", Range.closed(1, LoopShape.MAX_FEATURES))
                    .refused(SHAPE)
                    .description(
                            "Number of coordinates of a context vector. Set either `features` or"
                                    + " `bits`.");

    public static final Setting<OptionalLong> BITS =
            optionalWhole("bits", Range.closed(1, LoopShape.MAX_BITS))
                    .refused(SHAPE)
                    .description(
                            "Named features are hashed into 2^`bits` weights. Set either `bits`"
                                    + " or `features`.");

    public static final Setting<List<NamedAction>> ACTIONS =
            unbounded("actions", Kind.ACTIONS, List.<NamedAction>of())
                    .changes(
                            (before, after) ->
                                    after.get(FEATURES).isPresent()
                                            ? Verdict.REFUSED
                                            : Verdict.IMMEDIATE,
                            "`refused` with `features`, `immediate` with `bits`",
                            "with context vectors an action is identified by its position, with"
                                    + " named features by its id and features")
                    .description(
                            "Fixed list of actions. With `features` it is required and lists the"
                                    + " ids; their order defines the position of each action."
                                    + " With `bits` it is optional, lists ids and features, and"
                                    + " is used by requests without actions.");

    public static final Setting<List<Interaction>> INTERACTIONS =
            unbounded("interactions", Kind.INTERACTIONS, EncoderSpec.ALL_INTERACTIONS)
                    .refused(SHAPE)
                    .description(
                            "Pairs of namespaces whose features are multiplied, such as"
                                    + " `\"user:topic\"`; `*` is any namespace. With an empty"
                                    + " list the context has no effect.");

    public static final Setting<Boolean> ACTION_IDS =
            unbounded("actionIds", Kind.FLAG, true)
                    .refused(SHAPE)
                    .description("Whether the id of an action is one of its named features.");

    public static final Setting<OptionalDouble> NORM_BOUND =
            optionalNumber("normBound", Range.above(0.0, 1e15))
                    .changes(
                            (before, after) ->
                                    after.get(LoopSettings.OBJECTIVE_NAME).isBayesian()
                                            ? Verdict.NEXT_GENERATION
                                            : Verdict.IMMEDIATE,
                            "`nextGeneration` with `bcrm` and `bcrm-convex`, otherwise `immediate`",
                            "later features are scaled with it, and the Bayesian objectives depend"
                                    + " on it")
                    .description(
                            "Feature vectors with a larger norm are scaled down to this norm. Must"
                                    + " be set with `bcrm` and `bcrm-convex`.");

    // Decisions.

    public static final Setting<PolicyKind> POLICY =
            word("policy", PolicyKind.SOFTMAX, List.of(PolicyKind.values()))
                    .immediate(DECISIONS)
                    .description("How an action is drawn from the scores.");

    public static final Setting<PropensityKind> PROPENSITY_KIND =
            word(
                            "propensityKind",
                            PropensityKind.EXACT,
                            List.of(
                                    PropensityKind.EXACT,
                                    PropensityKind.ESTIMATED,
                                    PropensityKind.UPPER_BOUND))
                    .immediate(DECISIONS)
                    .description(
                            "What is logged as the propensity: `exact` with a softmax,"
                                    + " `estimated` or `upperBound` with a mixed logit.");

    public static final Setting<Long> PROPENSITY_DRAWS =
            whole(
                            "propensityDraws",
                            DecisionRule.DEFAULT_DRAWS,
                            Range.closed(DecisionRule.MIN_DRAWS, DecisionRule.MAX_DRAWS))
                    .immediate(DECISIONS)
                    .description("Number of samples for an estimated propensity.");

    public static final Setting<OptionalDouble> VARIANCE =
            optionalNumber("variance", Range.above(0.0, DecisionRule.MAX_VARIANCE))
                    .immediate(DECISIONS)
                    .description(
                            "Variance of the posterior that a mixed logit samples from. Without"
                                    + " it, each version is served with the variance that `bcrm`"
                                    + " or `bcrm-convex` has learned. Must not be set with a"
                                    + " softmax.");

    public static final Setting<Double> INVERSE_TEMPERATURE =
            number(
                            "inverseTemperature",
                            1.0,
                            Range.closed(0.0, DecisionRule.MAX_INVERSE_TEMPERATURE))
                    .nextGeneration(
                            "the current parameters were learned with the old value, and the prior must be fixed before the data")
                    .description(
                            "Factor on the scores: 0 gives a uniform policy, a larger value a"
                                    + " greedier one.");

    public static final Setting<Double> EXPLORATION_FLOOR =
            number("explorationFloor", 0.05, SHARE)
                    .immediate(DECISIONS)
                    .description(
                            "Share of decisions drawn uniformly. With n actions, each has at"
                                    + " least this value divided by n as its probability.");

    public static final Setting<Long> DISTRIBUTION_LIMIT =
            whole("distributionLimit", 100, Range.closed(0, LoopShape.MAX_ACTIONS))
                    .immediate(DECISIONS)
                    .description(
                            "With at most this many actions, impressions contain the probability"
                                    + " of every action.");

    public static final Setting<Long> FEATURE_LIMIT =
            whole("featureLimit", 250_000, Range.closed(1, 1e7))
                    .immediate(DECISIONS)
                    .description(
                            "A request is refused if its actions have more hashed features than"
                                    + " this together, including interactions. Has no effect with"
                                    + " `features`.");

    public static final Setting<UnloggedDecision> UNLOGGED_DECISION =
            word("unloggedDecision", UnloggedDecision.REFUSE, List.of(UnloggedDecision.values()))
                    .immediate(DECISIONS)
                    .description(
                            "What serving does when Kafka does not acknowledge an impression in"
                                    + " time: `refuse` returns an error, `answer` returns the"
                                    + " decision with `\"logged\": false`.");

    // Learning.

    public static final Setting<LearnerKind> LEARNER =
            word("learner", LearnerKind.BEST, List.of(LearnerKind.values()))
                    .immediate("later candidates come from it")
                    .description(
                            "What learns: the paper's method (`lpr`), a model of the reward that"
                                    + " learns from each example once (`reward-model`), or both"
                                    + " (`best`), of which the one that earns more goes forward."
                                    + " With a mixed logit or a Bayesian objective, `best` means"
                                    + " `lpr`.");

    public static final Setting<ObjectiveName> OBJECTIVE_NAME =
            word("objective", ObjectiveName.TRUST_LPR, ObjectiveName.ofStreams())
                    .nextGeneration(OBJECTIVE)
                    .description("Training objective.");

    public static final Setting<Double> LAMBDA =
            number("lambda", 1e-6, Range.closed(0.0, 1e9))
                    .nextGeneration(OBJECTIVE)
                    .description(
                            "Strength of the regularisation, λ. Not used by `bcrm` and"
                                    + " `bcrm-convex`.");

    public static final Setting<Double> PRIOR_VARIANCE =
            number("priorVariance", 1.0, Range.closed(1e-6, 1e6))
                    .nextGeneration("the prior must be fixed before the data")
                    .description(
                            "Variance of the prior over the parameters, σ₀², for `bcrm` and"
                                    + " `bcrm-convex`. A larger value moves further away from the"
                                    + " active version. Also the variance of versions without a"
                                    + " learned one, such as the first.");

    public static final Setting<Double> TAU =
            number("tau", 0.01, Range.closed(1e-12, 1.0))
                    .nextGeneration(
                            "the paper's bound needs a value fixed before the data, and most objectives depend on it")
                    .description("Floor of the propensity when it is used as a divisor, τ.");

    public static final Setting<Double> SMOOTHING =
            number("smoothing", 0.003, Range.closed(1e-6, 1e6))
                    .changes(
                            (before, after) ->
                                    after.get(OBJECTIVE_NAME) == ObjectiveName.LS_LPR
                                            ? Verdict.NEXT_GENERATION
                                            : Verdict.IMMEDIATE,
                            "`nextGeneration` with `ls-lpr`, otherwise `immediate`",
                            "the parameters of ls-lpr are learned with it; with other objectives"
                                    + " only estimates use it")
                    .description(
                            "Logarithmic smoothing of `ls-lpr` and of the smoothed estimates. A"
                                    + " good value is about one over the square root of the"
                                    + " number of examples.");

    public static final Setting<Double> DELTA =
            number("delta", 0.05, Range.closed(1e-9, 0.999))
                    .immediate("later certificates and comparisons use it")
                    .description(
                            "Bounds hold with probability at least 1 − δ. The gate promotes a"
                                    + " worse version with probability at most δ over the"
                                    + " lifetime of the loop.");

    public static final Setting<Double> LEARNING_RATE =
            number("learningRate", 1.0, Range.above(0.0, 1e6))
                    .immediate(STEPS)
                    .description("Step size of AdaGrad.");

    public static final Setting<Double> ADA_GRAD_SMOOTHING =
            number("adaGradSmoothing", 1.0, Range.closed(1e-12, 1e12))
                    .immediate(STEPS)
                    .description("Smoothing term of AdaGrad, added outside the square root.");

    public static final Setting<Long> BATCH_SIZE =
            whole("batchSize", 100, Range.closed(1, LoopSpec.MAX_BUFFER))
                    .immediate(STEPS)
                    .description("Number of examples per step.");

    public static final Setting<Long> BUFFER_STEPS =
            whole("bufferSteps", 4, Range.closed(0, 1_000))
                    .immediate(STEPS)
                    .description(
                            "Number of additional steps on examples from the buffer after each"
                                    + " step on new examples.");

    public static final Setting<Long> BUFFER_CAPACITY =
            whole("bufferCapacity", 100_000, Range.closed(1, LoopSpec.MAX_BUFFER))
                    .immediate("the most recent examples are kept")
                    .description(
                            "Maximum number of recent examples of a generation kept for"
                                    + " additional steps and for certificates. Must be at least"
                                    + " `batchSize`.");

    public static final Setting<Long> SEED =
            whole("seed", 1, Range.ANY)
                    .immediate("later draws use it")
                    .description("Seed of the draws from the buffer.");

    public static final Setting<Long> SNAPSHOT_EXAMPLES =
            whole("snapshotExamples", 1_000, Range.atLeast(0))
                    .immediate("it applies to the next candidate")
                    .description(
                            "A candidate is frozen after this many examples; 0 for no limit by"
                                    + " examples.");

    public static final Setting<Double> SNAPSHOT_REWARDS =
            number("snapshotRewards", 20.0, Range.closed(0.0, 1e9))
                    .immediate("it applies to the next candidate")
                    .description(
                            "A candidate is frozen when the rewards since the last one, each as its"
                                    + " place in `rewardRange` from 0 to 1, add up to this value and to a tenth of all earlier ones; 0 for no"
                                    + " limit by rewards. Unless the mode is `manual`, a candidate of"
                                    + " the reward model is instead frozen after ten examples and a"
                                    + " twentieth of all earlier ones, unless this is 0.");

    public static final Setting<Duration> SNAPSHOT_INTERVAL =
            unbounded("snapshotInterval", Kind.DURATION, Duration.ZERO)
                    .immediate("it applies to the next candidate")
                    .description(
                            "A candidate is frozen after this much event time; `0s` for no limit"
                                    + " by time.");

    // Rewards.

    public static final Setting<RewardRange> REWARD_RANGE =
            unbounded("rewardRange", Kind.REWARD_RANGE, RewardRange.UNIT)
                    .refused(
                            "everything that the loop has learned and measured is in the old unit;"
                                    + " create a new loop")
                    .description(
                            "The lowest and the highest reward, such as `[-1, 1]`, or `[0, 500]`"
                                    + " for money. Other rewards are refused. A reward counts by"
                                    + " its place in the range.");

    public static final Setting<Duration> ATTRIBUTION_WINDOW =
            unbounded("attributionWindow", Kind.DURATION, Duration.ofMinutes(10))
                    .immediate(DECISIONS)
                    .description(
                            "How long after a decision its rewards count. The loop learns from a"
                                    + " decision when this time has passed.");

    public static final Setting<Double> DEFAULT_REWARD =
            number("defaultReward", 0.0, Range.closed(-1e9, 1e9))
                    .immediate(DECISIONS)
                    .description(
                            "Reward of a decision without any reward in the attribution window."
                                    + " Must be in `rewardRange`.");

    public static final Setting<RewardAggregation> REWARD_AGGREGATION =
            word("rewardAggregation", RewardAggregation.FIRST, List.of(RewardAggregation.values()))
                    .immediate(DECISIONS)
                    .description(
                            "Which of several rewards counts: the first, the last, their sum"
                                    + " (within `rewardRange`) or the largest.");

    public static final Setting<Double> GUARDRAIL_DEFAULT_REWARD =
            number("guardrailDefaultReward", 0.0, SHARE)
                    .immediate(DECISIONS)
                    .description(
                            "Guardrail reward of a decision without any guardrail reward in the"
                                    + " attribution window, such as 1 where only complaints are"
                                    + " reported. Has no effect without `guardrailMargin`.");

    // Rollout.

    public static final Setting<RolloutMode> ROLLOUT_MODE =
            word("rolloutMode", RolloutMode.MANUAL, List.of(RolloutMode.values()))
                    .immediate(GATE)
                    .description(
                            "Who promotes a new version: a person (`manual`), nobody, so that"
                                    + " every candidate is promoted (`immediate`), or the gate"
                                    + " (`gated`). With `apprentice` every candidate is promoted as"
                                    + " well, but no version decides: the first action of each"
                                    + " request is shown.");

    public static final Setting<Double> CANARY_SHARE =
            number("canaryShare", 0.9, Range.closed(0.0, 0.95))
                    .immediate(GATE)
                    .description(
                            "Largest share of events that candidates decide while the gate"
                                    + " compares them. It follows the evidence. With 0 they are"
                                    + " compared on events of the active version only, which takes"
                                    + " much longer.");

    public static final Setting<Long> CANDIDATE_EXAMPLES =
            whole("candidateExamples", 2_000, Range.atLeast(1))
                    .immediate(GATE)
                    .description(
                            "Number of examples after which a comparison that has not led to a"
                                    + " promotion starts again; doubles each time.");

    public static final Setting<Double> MINIMUM_GAIN =
            number("minimumGain", 0.0, Range.closed(-1e9, 1e9))
                    .immediate(GATE)
                    .description(
                            "The gate promotes a version when its reward per decision is surely"
                                    + " higher than that of the active version by at least this"
                                    + " much. A negative value promotes a version that is surely"
                                    + " not worse by more than that. Must not be larger than the"
                                    + " width of `rewardRange`.");

    public static final Setting<OptionalDouble> GUARDRAIL_MARGIN =
            optionalNumber("guardrailMargin", POSITIVE_SHARE)
                    .immediate(GATE)
                    .description(
                            "The gate promotes a version only if its guardrail reward per decision"
                                    + " is surely not lower than that of the active version by more"
                                    + " than this. Without it the loop has no guardrail.");

    public static final Setting<Boolean> AUTOMATIC_ROLLBACK =
            unbounded("automaticRollback", Kind.FLAG, true)
                    .immediate(GATE)
                    .description(
                            "Whether the gate may return to the previous version when the active"
                                    + " version proves worse.");

    public static final Setting<Double> HOLDOUT_SHARE =
            number("holdoutShare", 0.0, Range.closed(0.0, 0.5))
                    .immediate(HOLDOUT)
                    .description(
                            "Share of the events that the baseline version alone decides, so that"
                                    + " the gain of the loop over it is always measured. The event"
                                    + " id determines which ones. 0 turns the holdout off.");

    public static final Setting<OptionalLong> HOLDOUT_VERSION =
            optionalWhole("holdoutVersion", Range.atLeast(0))
                    .immediate(HOLDOUT)
                    .description(
                            "The baseline version. It must still be stored, and stays stored while"
                                    + " it is set. Without it, the baseline is the version that"
                                    + " the loop started with.");

    public static final Setting<Optional<PolicySnapshot>> STARTING_POLICY =
            unbounded("startingPolicy", Kind.SNAPSHOT, Optional.<PolicySnapshot>empty())
                    .refused("the loop has already started; create a new loop")
                    .description(
                            "Policy that the loop starts with, with its own version number."
                                    + " Without it the loop starts with the uniform policy as"
                                    + " version 0.");

    /** All settings, in the order in which specs are written. */
    public static final List<Setting<?>> ALL = List.copyOf(TABLE);

    private LoopSettings() {}

    public static Optional<Setting<?>> named(String name) {
        return ALL.stream().filter(setting -> setting.name().equals(name)).findFirst();
    }

    private static Row<Double> number(String name, double byDefault, Range range) {
        return new Row<>(name, Kind.NUMBER, byDefault, List.of(), range);
    }

    private static Row<OptionalDouble> optionalNumber(String name, Range range) {
        return new Row<>(name, Kind.OPTIONAL_NUMBER, OptionalDouble.empty(), List.of(), range);
    }

    private static Row<Long> whole(String name, long byDefault, Range range) {
        return new Row<>(name, Kind.WHOLE, byDefault, List.of(), range);
    }

    private static Row<OptionalLong> optionalWhole(String name, Range range) {
        return new Row<>(name, Kind.OPTIONAL_WHOLE, OptionalLong.empty(), List.of(), range);
    }

    private static <E extends Enum<E>> Row<E> word(String name, E byDefault, List<E> words) {
        return new Row<>(name, Kind.WORD, byDefault, List.copyOf(words), Range.ANY);
    }

    private static <T> Row<T> unbounded(String name, Kind kind, T byDefault) {
        return new Row<>(name, kind, byDefault, List.of(), Range.ANY);
    }

    /** A row of the table; the effect of a change and the description follow. */
    private record Row<T>(String name, Kind kind, T byDefault, List<T> words, Range range) {

        Changeable<T> immediate(String reason) {
            return new Changeable<>(this, ChangeRule.immediate(reason));
        }

        Changeable<T> nextGeneration(String reason) {
            return new Changeable<>(this, ChangeRule.nextGeneration(reason));
        }

        Changeable<T> refused(String reason) {
            return new Changeable<>(this, ChangeRule.refused(reason));
        }

        Changeable<T> changes(
                BiFunction<LoopSpec, LoopSpec, Verdict> verdict, String words, String reason) {
            return new Changeable<>(this, new ChangeRule(verdict, words, reason));
        }
    }

    private record Changeable<T>(Row<T> row, ChangeRule change) {

        Setting<T> description(String description) {
            Setting<T> setting =
                    new Setting<>(
                            row.name,
                            row.kind,
                            row.byDefault,
                            row.words,
                            row.range,
                            change,
                            description);
            TABLE.add(setting);
            return setting;
        }
    }
}
