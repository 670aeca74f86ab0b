package io.counterflow.core.policy;

import io.counterflow.core.numeric.Require;
import io.counterflow.core.text.JsonName;
import java.util.OptionalDouble;

/**
 * How a policy draws actions from its scores and computes propensities.
 *
 * @param kind softmax or mixed logit
 * @param inverseTemperature β, in [0, 1e6]: scores are multiplied by it; 0 is uniform, larger is
 *     greedier
 * @param explorationFloor ε, in [0, 1]: the share of uniform draws. Each of n actions has
 *     probability at least ε/n, so importance weights on the log are at most n/ε. A higher value
 *     gives less reward now and better estimates later
 * @param variance σ² of the posterior that a mixed logit draws from; empty for a softmax
 * @param propensityKind {@code EXACT} of a softmax, {@code ESTIMATED} or {@code UPPER_BOUND} of a
 *     mixed logit
 * @param propensityDraws number of draws for an estimated propensity
 */
public record DecisionRule(
        PolicyKind kind,
        double inverseTemperature,
        double explorationFloor,
        OptionalDouble variance,
        PropensityKind propensityKind,
        int propensityDraws) {

    /** With parameters below 1e32, which learning never exceeds, scores are finite. */
    public static final double MAX_INVERSE_TEMPERATURE = 1e6;

    public static final double MAX_VARIANCE = 1e12;
    public static final int MIN_DRAWS = 2;
    public static final int MAX_DRAWS = 1_000_000;
    public static final int DEFAULT_DRAWS = 1_000;

    /** The softmax of the scores, without temperature and floor. */
    public static final DecisionRule PLAIN = softmax(1.0, 0.0);

    public DecisionRule {
        if (!(inverseTemperature >= 0.0 && inverseTemperature <= MAX_INVERSE_TEMPERATURE)) {
            throw new IllegalArgumentException(
                    "inverseTemperature must be in [0, 1e6], got " + inverseTemperature);
        }
        Require.share(explorationFloor, "explorationFloor");
        Require.within(MIN_DRAWS, MAX_DRAWS, propensityDraws, "propensityDraws");
        if (kind == PolicyKind.SOFTMAX) {
            requireSoftmax(propensityKind, variance);
        } else {
            requireMixedLogit(propensityKind, variance);
        }
    }

    public static DecisionRule softmax(double inverseTemperature, double explorationFloor) {
        return new DecisionRule(
                PolicyKind.SOFTMAX,
                inverseTemperature,
                explorationFloor,
                OptionalDouble.empty(),
                PropensityKind.EXACT,
                DEFAULT_DRAWS);
    }

    private static void requireSoftmax(PropensityKind kind, OptionalDouble variance) {
        if (kind != PropensityKind.EXACT) {
            throw new IllegalArgumentException(
                    "propensityKind must be exact with a softmax, got " + JsonName.of(kind));
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
                            + JsonName.of(kind));
        }
        Require.that(variance.isPresent(), "variance must be given with a mixed logit, got none");
        double given = variance.getAsDouble();
        if (!(given > 0.0 && given <= MAX_VARIANCE)) {
            throw new IllegalArgumentException("variance must be in (0, 1e12], got " + given);
        }
    }

    /** The same rule with another variance of the mixed logit. */
    public DecisionRule withVariance(double other) {
        return new DecisionRule(
                kind,
                inverseTemperature,
                explorationFloor,
                OptionalDouble.of(other),
                propensityKind,
                propensityDraws);
    }

    /** Whether another rule is the same but for the exploration floor. */
    public boolean differsOnlyInFloor(DecisionRule other) {
        return new DecisionRule(
                        kind,
                        inverseTemperature,
                        other.explorationFloor,
                        variance,
                        propensityKind,
                        propensityDraws)
                .equals(other);
    }

    /** 1 − ε: the share of the events that the scores decide. */
    public double softmaxShare() {
        return 1.0 - explorationFloor;
    }

    /** (1 − ε) p + ε/n. */
    double mixed(double probability, int n) {
        double mixed = (1.0 - explorationFloor) * probability + explorationFloor / n;
        return Math.min(1.0, mixed); // never above 1 by rounding
    }
}
