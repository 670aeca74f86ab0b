package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.Features;
import io.counterflow.core.log.LoggedExample;
import io.counterflow.core.numeric.Require;
import io.counterflow.core.numeric.Softmax;
import io.counterflow.core.policy.AllowedActions;
import io.counterflow.core.policy.DecisionRule;
import io.counterflow.core.policy.LinearModel;

/**
 * Learns a model of the reward in one pass, and with it the policy that prefers the action with the
 * highest predicted reward. Examples must be added in order. Not thread safe.
 *
 * <p>Each example is used once, rewards of 0 included, by a {@link LogisticBelief} on the features
 * of the chosen action. There is no learning rate, no importance weight and no buffer.
 *
 * <p>If the loop has a starting policy, the model has the offset o = ln π<sub>start</sub>(a|x) with
 * a learned weight α. The logarithm of a softmax is its score minus a term that all actions of a
 * request share, so the policy is still one linear model: α w<sub>start</sub> + w. The offset has
 * the inverse temperature 1, so that a loop may change its own without changing what was learned.
 *
 * <p><b>Optimism.</b> The log-odds that all actions share are those of the mean reward so far plus
 * {@value #OPTIMISM}. So what is tried earns less than predicted unless it is better than what the
 * loop has found until now, its parameters decrease, and features that were tried less often come
 * first. A loop with a starting policy has somebody who knows where to look, and goes without.
 *
 * <p><b>Scale.</b> The prior is narrow. A <em>challenger</em> with a variance that is {@value
 * #WIDER} times as large learns from the same first examples. If its predictions were better by
 * {@value #REPLACING_NATS} nats in total when a policy is frozen, its belief and its prior are used
 * from then on.
 *
 * <p><b>Drift.</b> The variances only decrease, so an old model follows a change slowly. Therefore
 * later challengers know nothing, like the first one, and replace the champion in the same way: if
 * a model that has just started predicts better, what the champion has learned is no longer true.
 * The mean reward then counts for {@value #CHALLENGER_EXAMPLES} examples at most. A challenger is
 * restarted after so many, or when it is worse by {@value #REPLACING_NATS} nats.
 */
public final class RewardModelLearner {

    /** The inverse temperature at which the softmax of the scores is greedy, except for ties. */
    private static final double GREEDY = DecisionRule.MAX_INVERSE_TEMPERATURE;

    /**
     * Prior variance of the score of an action of average features. The prior variance of a weight
     * is this divided by the mean of ‖φ‖², so that the units of features do not matter.
     */
    static final double PRIOR_SCORE = 1.0;

    /** How many times the variances of a challenger are as large. */
    static final double WIDER = 4.0;

    /** Added to the log-odds that all actions share. */
    static final double OPTIMISM = 0.3;

    /** The mean reward before the first example. */
    static final double FIRST_MEAN_REWARD = 0.05;

    /** Number of examples that the first mean reward counts for. */
    static final long FIRST_EXAMPLES = 20;

    /** Number of newest examples that count in the mean reward, roughly. */
    static final long MEAN_MEMORY = 100_000;

    /** Keeps the log-odds of the mean reward finite. */
    private static final double MIN_MEAN_REWARD = 1e-6;

    static final int NORM_EXAMPLES = 100;
    static final int CHALLENGER_EXAMPLES = 4_000;
    static final double REPLACING_NATS = 10.0;

    /** Within the range of a float, also after many examples and at any inverse temperature. */
    private static final double MIN_VARIANCE = 1e-30;

    private static final double MAX_VARIANCE = 1e30;

    private final LinearModel start;
    private final boolean hasOffset;
    private final ChosenFeatures chosen;
    private final ActionScores actionScores;
    private final LogisticBelief champion;
    private final LogisticBelief challenger;
    private final ServedParameters served;
    private LogisticBelief.Prior prior;
    private LogisticBelief.Prior challengerPrior;
    private double[] scores = new double[0];

    private long examples;
    private double squaredNorms;
    private double priorScore;
    private double meanReward;
    private long meanExamples;
    private long challengerExamples;
    private double challengerGain;
    private long replacements;

    private RewardModelLearner(
            LinearModel start,
            RewardModelProgress progress,
            LogisticBelief champion,
            LogisticBelief challenger) {
        this.start = start;
        this.hasOffset = !start.equals(start.zeros());
        this.chosen = new ChosenFeatures(start);
        this.actionScores = new ActionScores(start);
        this.champion = champion;
        this.challenger = challenger;
        this.served = new ServedParameters(start, hasOffset);
        this.examples = progress.examples();
        this.squaredNorms = progress.squaredNorms();
        this.priorScore = progress.priorScore();
        this.meanReward = progress.meanReward();
        this.meanExamples = progress.meanExamples();
        this.challengerExamples = progress.challengerExamples();
        this.challengerGain = progress.challengerGain();
        this.replacements = progress.replacements();
        this.prior = prior(priorScore);
        this.challengerPrior = prior(WIDER * priorScore);
    }

    /**
     * Creates a learner.
     *
     * @param start the starting policy's parameters; zeros, the uniform policy, give no offset
     */
    public static RewardModelLearner start(LinearModel start) {
        int parameters = parameters(start);
        return new RewardModelLearner(
                start,
                RewardModelProgress.START,
                new LogisticBelief(parameters),
                new LogisticBelief(parameters));
    }

    /** Continues from a stored state, with the same starting policy. */
    public static RewardModelLearner restore(LinearModel start, RewardModelState state) {
        int parameters = parameters(start);
        Require.that(
                state.champion().size() == parameters,
                "a reward model of a %s has %s parameters, got %s",
                start,
                parameters,
                state.champion().size());
        return new RewardModelLearner(
                start,
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
            setPriors();
        }
        double reward = example.reward();
        double shared = sharedLogOdds();
        double ofChampion = champion.logOdds(chosen, offset) + shared;
        double ofChallenger = challenger.logOdds(chosen, offset) + shared;
        challengerGain +=
                LogisticBelief.logLoss(ofChampion, reward)
                        - LogisticBelief.logLoss(ofChallenger, reward);
        champion.learn(chosen, offset, reward, ofChampion, prior);
        challenger.learn(chosen, offset, reward, ofChallenger, challengerPrior);
        served.change(chosen);
        meanExamples = Math.min(MEAN_MEMORY, meanExamples + 1);
        meanReward += (reward - meanReward) / meanExamples;
        challengerExamples++;
        if (challengerGain < -REPLACING_NATS
                || (challengerExamples >= CHALLENGER_EXAMPLES && !isChallengerBetter())) {
            restartChallenger();
        }
    }

    /** b, the log-odds that all actions share. */
    private double sharedLogOdds() {
        double mean = Math.max(MIN_MEAN_REWARD, Math.min(1.0 - MIN_MEAN_REWARD, meanReward));
        return StrictMath.log(mean / (1.0 - mean)) + (hasOffset ? 0.0 : OPTIMISM);
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
        return Softmax.logProbability(scores, allowed.count(actions), allowed.positionOf(action));
    }

    /**
     * The probability of an action of an example under the policy of the champion as it is now,
     * without the exploration floor: 1 for the action with the highest score, shared by ties, and 0
     * for others. Allocates nothing once buffers have their size.
     */
    public double greedyProbability(LoggedExample example) {
        Features features = example.features();
        AllowedActions allowed = example.allowed();
        int actions = start.actionCount(features);
        if (scores.length < actions) {
            scores = new double[actions];
        }
        if (hasOffset) {
            start.scores(features, allowed, scores);
        }
        return actionScores.greedyProbability(
                example, champion, hasOffset ? champion.offsetWeight() : 0.0, scores);
    }

    private void setPriors() {
        prior = prior(priorScore);
        challengerPrior = prior(WIDER * priorScore);
    }

    private LogisticBelief.Prior prior(double score) {
        double mean = squaredNorms / Math.max(1, Math.min(examples, NORM_EXAMPLES));
        double variance = Math.min(MAX_VARIANCE, Math.max(MIN_VARIANCE, score / mean));
        return new LogisticBelief.Prior(Math.toIntExact(start.weightCount()), variance, score);
    }

    private boolean isChallengerBetter() {
        return challengerGain > REPLACING_NATS;
    }

    private void restartChallenger() {
        challenger.restart();
        challengerExamples = 0;
        challengerGain = 0.0;
    }

    /**
     * Replaces the champion if the challenger is better, and returns the parameters of its policy,
     * scaled so that it is greedy.
     *
     * @param inverseTemperature β at which it will be served; at 0 every policy is uniform
     */
    public LinearModel freeze(double inverseTemperature) {
        if (isChallengerBetter()) {
            champion.copy(challenger);
            served.changeAll();
            if (challengerExamples == examples) { // it is the first one: the prior was too narrow
                priorScore *= WIDER;
                setPriors();
            } else {
                replacements++;
                meanExamples = Math.min(meanExamples, CHALLENGER_EXAMPLES);
            }
            restartChallenger();
        }
        return model(inverseTemperature > 0.0 ? GREEDY / inverseTemperature : 1.0);
    }

    /** α w<sub>start</sub> + w, the parameters of the policy, times a factor. */
    LinearModel model(double factor) {
        return served.model(champion, hasOffset ? champion.offsetWeight() : 0.0, factor);
    }

    /** Whether the loop has a starting policy that is not uniform. */
    public boolean hasOffset() {
        return hasOffset;
    }

    /** Number of examples so far. */
    public long examples() {
        return examples;
    }

    /** How often the world has changed, as far as the predictions of rewards show. */
    public long replacements() {
        return replacements;
    }

    /** The state to store. */
    public RewardModelState state() {
        return new RewardModelState(
                new RewardModelProgress(
                        examples,
                        squaredNorms,
                        priorScore,
                        meanReward,
                        meanExamples,
                        challengerExamples,
                        challengerGain,
                        replacements),
                champion.state(),
                challenger.state());
    }
}
