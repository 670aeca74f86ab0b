package io.counterflow.schemas;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.policy.Exploration;
import io.counterflow.core.policy.LinearModel;
import io.counterflow.core.policy.LoggingPolicy;
import io.counterflow.core.policy.Policy;
import io.counterflow.core.policy.PropensityKind;
import io.counterflow.core.spec.LoopShape;
import java.util.OptionalDouble;

/**
 * How a loop draws actions and states with which probability it did.
 *
 * @param policy the kind of distribution
 * @param propensityKind {@code EXACT} of a softmax; {@code ESTIMATED} or {@code UPPER_BOUND} of a
 *     mixed logit, whose probabilities have no closed form
 * @param propensityDraws draws of the parameters behind a propensity that is estimated
 * @param variance variance of the posterior that a mixed logit draws from; empty for a softmax
 * @param inverseTemperature scores are multiplied by this: 0 is uniform, larger is greedier
 * @param explorationFloor share of uniform draws, in [0, 1]
 * @param distributionLimit most actions for which impressions log the whole distribution
 * @param unloggedDecision what serving does with a decision that cannot be logged
 */
public record DecisionRule(
        Kind policy,
        PropensityKind propensityKind,
        int propensityDraws,
        OptionalDouble variance,
        double inverseTemperature,
        double explorationFloor,
        int distributionLimit,
        UnloggedDecision unloggedDecision) {

    private static final int MAX_DRAWS = 1_000_000;

    /** With parameters below 1e32, which learning does not leave, scores stay within a float. */
    private static final double LARGEST_INVERSE_TEMPERATURE = 1e6;

    private static final double LARGEST_VARIANCE = 1e12;

    /** How actions are drawn. */
    public enum Kind {
        /** Softmax of the mean parameters. */
        SOFTMAX,
        /** Mixed logit: parameters drawn from the posterior. */
        MIXED_LOGIT
    }

    /** What serving does with a decision that cannot be logged. */
    public enum UnloggedDecision {
        /** Refuses the request. */
        REFUSE,
        /** Answers, marked as unlogged. */
        ANSWER
    }

    public DecisionRule {
        if (policy == Kind.SOFTMAX) {
            requireSoftmax(propensityKind, variance);
        } else {
            requireMixedLogit(propensityKind, variance);
        }
        if (propensityDraws < 2 || propensityDraws > MAX_DRAWS) {
            throw new IllegalArgumentException(
                    "propensityDraws must be in [2, %d], got %d"
                            .formatted(MAX_DRAWS, propensityDraws));
        }
        if (!(inverseTemperature >= 0.0 && inverseTemperature <= LARGEST_INVERSE_TEMPERATURE)) {
            throw new IllegalArgumentException(
                    "inverseTemperature must be in [0, 1e6], got " + inverseTemperature);
        }
        Require.share(explorationFloor, "explorationFloor");
        if (distributionLimit < 0 || distributionLimit > LoopShape.MAX_ACTIONS) {
            throw new IllegalArgumentException(
                    "distributionLimit must be in [0, %d], got %d"
                            .formatted(LoopShape.MAX_ACTIONS, distributionLimit));
        }
    }

    private static void requireSoftmax(PropensityKind kind, OptionalDouble variance) {
        if (kind != PropensityKind.EXACT) {
            throw new IllegalArgumentException(
                    "propensityKind must be exact with a softmax, got " + kind);
        }
        if (variance.isPresent()) {
            throw new IllegalArgumentException(
                    "variance must be absent with a softmax, got " + variance.getAsDouble());
        }
    }

    private static void requireMixedLogit(PropensityKind kind, OptionalDouble variance) {
        if (kind != PropensityKind.ESTIMATED && kind != PropensityKind.UPPER_BOUND) {
            throw new IllegalArgumentException(
                    "propensityKind must be estimated or upperBound with a mixed logit, which has"
                            + " no exact ones, got "
                            + kind);
        }
        if (variance.isEmpty()) {
            throw new IllegalArgumentException(
                    "variance must be given with a mixed logit, got none");
        }
        double given = variance.getAsDouble();
        if (!(given > 0.0 && given <= LARGEST_VARIANCE)) {
            throw new IllegalArgumentException("variance must be in (0, 1e12], got " + given);
        }
    }

    /**
     * The policy with these parameters, as it is served and as its probabilities are computed
     * again.
     *
     * @throws IllegalStateException for a mixed logit, whose probabilities have no closed form
     */
    public Policy policyOf(LinearModel model) {
        if (policy != Kind.SOFTMAX) {
            throw new IllegalStateException("a mixed logit has no exact probabilities");
        }
        return exploration().softmax(model);
    }

    /** As {@link #policyOf}, but of a mixed logit the softmax of its mean. */
    public Policy judgedPolicyOf(LinearModel model) {
        return exploration().softmax(model);
    }

    /** The policy with these parameters, as it decides. */
    public LoggingPolicy loggingPolicyOf(LinearModel model) {
        if (policy == Kind.SOFTMAX) {
            return policyOf(model);
        }
        double sigmaSquared = variance.orElseThrow();
        return propensityKind == PropensityKind.ESTIMATED
                ? exploration().estimatedMixedLogit(model, sigmaSquared, propensityDraws)
                : exploration().boundedMixedLogit(model, sigmaSquared);
    }

    private Exploration exploration() {
        return new Exploration(inverseTemperature, explorationFloor);
    }
}
