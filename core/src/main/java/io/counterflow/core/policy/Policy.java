package io.counterflow.core.policy;

import io.counterflow.core.features.Features;
import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Softmax;
import java.util.Optional;

/**
 * A policy: linear scores of the actions, and the rule by which one is drawn. Immutable.
 *
 * <pre>π(a|x) = (1 − ε) exp(β μ·φ(x, a)) / Σ exp(β μ·φ(x, a')) + ε/n</pre>
 *
 * <p>with the sum over the n allowed actions ({@code eq:softmax_policy} with an inverse temperature
 * β and an exploration floor ε). Learning, the gate, certificates, serving, audits and evaluation
 * all use this policy: {@link #probabilities} is the only method that computes it.
 *
 * <p>The probabilities of a mixed logit ({@link MixedLogit}) have no closed form. {@link
 * #probabilities} returns those of the softmax of its mean instead, which are within the factors of
 * the lemma. The propensity of {@link #decide} for a mixed logit is an estimate or an upper bound,
 * as the decision says.
 */
public final class Policy {

    private final LinearModel model;
    private final DecisionRule rule;
    private final Optional<MixedLogit> mixedLogit; // with weights β w, w ~ N(μ, σ²I)

    /**
     * @param model μ, and the biases
     */
    public Policy(LinearModel model, DecisionRule rule) {
        this.model = model;
        this.rule = rule;
        this.mixedLogit =
                rule.kind() == PolicyKind.MIXED_LOGIT
                        ? Optional.of(mixedLogit(model, rule))
                        : Optional.empty();
    }

    private static MixedLogit mixedLogit(LinearModel model, DecisionRule rule) {
        double beta = rule.inverseTemperature();
        return new MixedLogit(
                beta == 1.0 ? model : model.scaled(beta),
                rule.variance().orElseThrow() * beta * beta);
    }

    /** The plain softmax of a model's scores. */
    public static Policy softmax(LinearModel model) {
        return new Policy(model, DecisionRule.PLAIN);
    }

    /** Every allowed action with the same probability, for features that fit a model. */
    public static Policy uniform(LinearModel shape) {
        return softmax(shape.zeros());
    }

    public LinearModel model() {
        return model;
    }

    /** The model that actions are drawn with: a mixed logit may have a copy, scaled by β. */
    public LinearModel drawnModel() {
        return mixedLogit.map(MixedLogit::mean).orElse(model);
    }

    public DecisionRule rule() {
        return rule;
    }

    /** How many actions there are to choose from, given these features. */
    public int actionCount(Features features) {
        return model.actionCount(features);
    }

    /**
     * Computes π(a|x) for every action a; 0 for actions that are not allowed. Allocates nothing.
     *
     * @param probabilities at least {@code actionCount(features)} long. Its first entries are
     *     overwritten.
     */
    public void probabilities(Features features, AllowedActions allowed, double[] probabilities) {
        int actions = model.actionCount(features);
        allowed.requireWithin(actions);
        model.scores(features, allowed, probabilities);
        int n = allowed.count(actions);
        double beta = rule.inverseTemperature();
        for (int i = 0; i < n; i++) {
            probabilities[i] *= beta;
        }
        Softmax.inPlace(probabilities, n);
        for (int i = 0; i < n; i++) {
            probabilities[i] = rule.mixed(probabilities[i], n);
        }
        allowed.scatter(probabilities, actions);
    }

    /**
     * Draws one of the allowed actions, as if the others had not been offered.
     *
     * <p>The random numbers of an event are used in a fixed order. Softmax: one, for the action.
     * Mixed logit: one for the floor, those of the draw, those of the estimate.
     *
     * @param random the random numbers of this event; the same ones give the same decision
     */
    public Decision decide(Features features, AllowedActions allowed, EventRandom random) {
        if (mixedLogit.isPresent()) {
            return decide(mixedLogit.get(), features, allowed, random);
        }
        double[] probabilities = new double[model.actionCount(features)];
        probabilities(features, allowed, probabilities);
        return Decision.drawnFrom(probabilities, random);
    }

    /**
     * An estimate of 0, which is possible if the action is very unlikely, is not a valid
     * propensity; the upper bound is used instead, and the kind says so.
     */
    private Decision decide(
            MixedLogit mixedLogit, Features features, AllowedActions allowed, EventRandom random) {
        int actions = model.actionCount(features);
        allowed.requireWithin(actions);
        int n = allowed.count(actions);
        MixedLogitScores scores = mixedLogit.scores(features, allowed);
        boolean explores = random.nextDouble() < rule.explorationFloor();
        int action = explores ? uniform(allowed, n, random) : scores.draw(random);
        if (rule.propensityKind() == PropensityKind.ESTIMATED) {
            double[] distribution = new double[actions];
            scores.average(rule.propensityDraws(), random, distribution, new double[actions]);
            for (int a = 0; a < actions; a++) {
                distribution[a] = allowed.contains(a) ? rule.mixed(distribution[a], n) : 0.0;
            }
            if (distribution[action] > 0.0) {
                return new Decision(
                        action, distribution[action], PropensityKind.ESTIMATED, distribution);
            }
        }
        return new Decision(
                action,
                upperBound(features, allowed, action),
                PropensityKind.UPPER_BOUND,
                new double[0]);
    }

    /** An upper bound on the probability of an action of a mixed logit; never 0. */
    public double upperBound(Features features, AllowedActions allowed, int action) {
        int n = allowed.count(model.actionCount(features));
        double upper = rule.mixed(bounds(features, allowed, action).upper(), n);
        // Never 0, because it is a divisor; a larger upper bound is still an upper bound.
        return Math.max(Double.MIN_NORMAL, upper);
    }

    /** A lower bound on the probability of an action of a mixed logit. */
    public double lowerBound(Features features, AllowedActions allowed, int action) {
        int n = allowed.count(model.actionCount(features));
        return rule.mixed(bounds(features, allowed, action).lower(), n);
    }

    private PropensityBounds bounds(Features features, AllowedActions allowed, int action) {
        MixedLogit policy = mixedLogit.orElseThrow();
        double norm = Math.sqrt(features.maxSquaredNorm());
        return policy.bounds(policy.scores(features, allowed), action, norm);
    }

    private static int uniform(AllowedActions allowed, int n, EventRandom random) {
        int left = random.nextInt(n);
        int action = 0;
        while (!allowed.contains(action) || left-- > 0) {
            action++;
        }
        return action;
    }
}
