package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.FlatParameters;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.Policy;

/**
 * Learns a model of the reward in one pass, and with it the policy that prefers the action with the
 * highest predicted reward. Examples must be added in order. Not thread safe.
 *
 * <p>Each example is used once, rewards of 0 included, by a {@link LogisticBelief} on the features
 * of the chosen action. There is no learning rate, no importance weight and no buffer.
 *
 * <p>If the loop has a starting policy, the model has the offset o = ln π<sub>start</sub>(a|x) with
 * a learned weight α. The logarithm of a softmax is its score minus a term that all actions of a
 * request share, so the policy is still one linear model: α β w<sub>start</sub> + w.
 *
 * <p><b>Drift.</b> The variances only decrease, so an old model follows a change slowly. A
 * <em>challenger</em> starts at the same means with the variances of the prior, and learns from the
 * same examples. If its predictions were better by {@value #REPLACING_NATS} nats in total when a
 * policy is frozen, it replaces the champion. It is restarted after {@value #CHALLENGER_EXAMPLES}
 * examples, or when it is worse by as much.
 *
 * <p><b>Freezing.</b> A policy is due when the rewards since the last one reach half of all earlier
 * ones and at least {@value #MIN_REWARDS}, so that a young loop improves early, or after the number
 * of examples of the {@link RewardModelConfig}.
 */
public final class RewardModelLearner {

    /** The inverse temperature at which the softmax of the scores is greedy, except for ties. */
    public static final double GREEDY = DecisionRule.MAX_INVERSE_TEMPERATURE;

    static final int NORM_EXAMPLES = 100;
    static final double MIN_REWARDS = 50.0;
    static final int CHALLENGER_EXAMPLES = 4_000;
    static final double REPLACING_NATS = 3.0;

    /** Within the range of a float, also after many examples and at any inverse temperature. */
    private static final double MIN_VARIANCE = 1e-30;

    private static final double MAX_VARIANCE = 1e30;

    private final RewardModelConfig config;
    private final LinearModel start;
    private final double inverseTemperature;
    private final boolean hasOffset;
    private final ChosenFeatures chosen;
    private final LogisticBelief champion;
    private final LogisticBelief challenger;
    private LogisticBelief.Prior prior;
    private double[] scores = new double[0];

    private long examples;
    private double squaredNorms;
    private long sinceFreeze;
    private double rewardsBefore;
    private double rewardsSince;
    private long challengerExamples;
    private double challengerGain;
    private long replacements;

    private RewardModelLearner(
            LinearModel start,
            double inverseTemperature,
            RewardModelConfig config,
            RewardModelProgress progress,
            LogisticBelief champion,
            LogisticBelief challenger) {
        this.config = config;
        this.start = start;
        this.inverseTemperature =
                Require.finiteAtLeastZero(inverseTemperature, "inverseTemperature");
        this.hasOffset = inverseTemperature > 0.0 && !start.equals(start.zeros());
        this.chosen = new ChosenFeatures(start);
        this.champion = champion;
        this.challenger = challenger;
        this.examples = progress.examples();
        this.squaredNorms = progress.squaredNorms();
        this.sinceFreeze = progress.sinceFreeze();
        this.rewardsBefore = progress.rewardsBefore();
        this.rewardsSince = progress.rewardsSince();
        this.challengerExamples = progress.challengerExamples();
        this.challengerGain = progress.challengerGain();
        this.replacements = progress.replacements();
        this.prior = prior();
    }

    /**
     * Creates a learner.
     *
     * @param start the starting policy's parameters; zeros, the uniform policy, give no offset
     * @param inverseTemperature β of the starting policy
     */
    public static RewardModelLearner start(
            LinearModel start, double inverseTemperature, RewardModelConfig config) {
        int parameters = parameters(start);
        return new RewardModelLearner(
                start,
                inverseTemperature,
                config,
                RewardModelProgress.START,
                new LogisticBelief(parameters),
                new LogisticBelief(parameters));
    }

    /** Continues from a stored state; the other arguments must be those of the start. */
    static RewardModelLearner restore(
            LinearModel start,
            double inverseTemperature,
            RewardModelConfig config,
            RewardModelState state) {
        int parameters = parameters(start);
        Require.that(
                state.champion().size() == parameters,
                "a reward model of a %s has %s parameters, got %s",
                start,
                parameters,
                state.champion().size());
        return new RewardModelLearner(
                start,
                inverseTemperature,
                config,
                state.progress(),
                new LogisticBelief(state.champion()),
                new LogisticBelief(state.challenger()));
    }

    private static int parameters(LinearModel model) {
        return Math.toIntExact(model.weightCount() + model.biasCount());
    }

    /**
     * Adds an example. If the example is refused, nothing changes. Allocates nothing once buffers
     * have their size, after some examples.
     *
     * @throws IllegalArgumentException if the example does not fit the model
     */
    public void learn(LoggedExample example) {
        requireFit(example.features(), example.allowed(), example.action());
        chosen.read(example.features(), example.action());
        double offset = offset(example.features(), example.allowed(), example.action());
        if (examples < NORM_EXAMPLES) {
            squaredNorms += chosen.squaredNorm();
        }
        examples++;
        if (examples <= NORM_EXAMPLES) {
            prior = prior();
        }
        double reward = example.reward();
        double ofChampion = champion.logOdds(chosen, offset);
        double ofChallenger = challenger.logOdds(chosen, offset);
        challengerGain +=
                LogisticBelief.logLoss(ofChampion, reward)
                        - LogisticBelief.logLoss(ofChallenger, reward);
        champion.learn(chosen, offset, reward, ofChampion, prior);
        challenger.learn(chosen, offset, reward, ofChallenger, prior);
        challengerExamples++;
        sinceFreeze++;
        rewardsSince += reward;
        if (challengerGain < -REPLACING_NATS
                || (challengerExamples >= CHALLENGER_EXAMPLES && !isChallengerBetter())) {
            restartChallenger();
        }
    }

    private void requireFit(Features features, AllowedActions allowed, int action) {
        int actions = start.actionCount(features);
        if (action >= actions) {
            throw new IllegalArgumentException(
                    "action must be below %d, got %d".formatted(actions, action));
        }
        allowed.requireWithin(actions);
    }

    /** ln π(a|x) of the softmax of the starting policy over the allowed actions; 0 without one. */
    private double offset(Features features, AllowedActions allowed, int action) {
        if (!hasOffset) {
            return 0.0;
        }
        int actions = start.actionCount(features);
        if (scores.length < actions) {
            scores = new double[actions];
        }
        start.scores(features, allowed, scores);
        int n = allowed.count(actions);
        for (int i = 0; i < n; i++) {
            scores[i] *= inverseTemperature;
        }
        return Softmax.logProbability(scores, n, allowed.positionOf(action));
    }

    /** Predicts the reward of an allowed action, as the champion does now. */
    public RewardPrediction predict(Features features, AllowedActions allowed, int action) {
        requireFit(features, allowed, action);
        chosen.read(features, action);
        double offset = offset(features, allowed, action);
        return new RewardPrediction(
                champion.logOdds(chosen, offset), champion.variance(chosen, offset, prior));
    }

    private LogisticBelief.Prior prior() {
        double mean = squaredNorms / Math.max(1, Math.min(examples, NORM_EXAMPLES));
        double variance =
                Math.min(MAX_VARIANCE, Math.max(MIN_VARIANCE, config.priorScore() / mean));
        return new LogisticBelief.Prior(
                Math.toIntExact(start.weightCount()), variance, config.priorScore());
    }

    private boolean isChallengerBetter() {
        return challengerGain > REPLACING_NATS;
    }

    private void restartChallenger() {
        challenger.restartAt(champion);
        challengerExamples = 0;
        challengerGain = 0.0;
    }

    /** Whether it is time to {@link #freeze}. */
    public boolean freezeDue() {
        return sinceFreeze >= config.maxExamples()
                || rewardsSince >= Math.max(MIN_REWARDS, 0.5 * rewardsBefore);
    }

    /**
     * Replaces the champion if the challenger is better, and returns the parameters of its policy.
     * To be served at the inverse temperature {@link #GREEDY}.
     */
    public LinearModel freeze() {
        if (isChallengerBetter()) {
            champion.copy(challenger);
            restartChallenger();
            replacements++;
        }
        sinceFreeze = 0;
        rewardsBefore += rewardsSince;
        rewardsSince = 0.0;
        return model();
    }

    /** α β w<sub>start</sub> + w, the parameters of the policy. */
    public LinearModel model() {
        float[] flat = FlatParameters.of(start);
        double factor = hasOffset ? champion.offsetWeight() * inverseTemperature : 0.0;
        for (int i = 0; i < flat.length; i++) {
            flat[i] = (float) (factor * flat[i] + champion.mean(i));
        }
        return FlatParameters.toModel(start, flat);
    }

    /**
     * The policy that chooses the action with the highest predicted reward, except for a share of
     * uniform draws.
     *
     * @param model a result of {@link #freeze}
     */
    public static Policy greedy(LinearModel model, double explorationFloor) {
        return new Policy(model, DecisionRule.softmax(GREEDY, explorationFloor));
    }

    /** How often the world has changed, as far as the predictions of rewards show. */
    public long replacements() {
        return replacements;
    }

    /** The state to store. */
    RewardModelState state() {
        return new RewardModelState(
                new RewardModelProgress(
                        examples,
                        squaredNorms,
                        sinceFreeze,
                        rewardsBefore,
                        rewardsSince,
                        challengerExamples,
                        challengerGain,
                        replacements),
                champion.state(),
                challenger.state());
    }
}
