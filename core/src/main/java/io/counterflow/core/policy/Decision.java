package io.counterflow.core.policy;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Require;
import java.util.Arrays;

/**
 * An action that was drawn, with its probability.
 *
 * <p>If the action was drawn from given probabilities, the propensity is exact up to the resolution
 * of the uniform number, 2<sup>−53</sup>.
 */
public final class Decision {

    /** Tolerance for the sum of probabilities, which is much larger than rounding errors. */
    private static final double SUM_TOLERANCE = 1e-9;

    private final int action;
    private final double propensity;
    private final PropensityKind kind;
    private final double[] distribution;

    /**
     * @param propensity its probability, in (0, 1]
     * @param distribution the probabilities of all actions, or empty if they are unknown. Copied.
     */
    public Decision(int action, double propensity, PropensityKind kind, double[] distribution) {
        if (action < 0 || (distribution.length > 0 && action >= distribution.length)) {
            throw new IllegalArgumentException(
                    "action must be at least 0 and within the distribution, got " + action);
        }
        this.action = action;
        this.propensity = Require.propensity(propensity);
        this.kind = kind;
        this.distribution = distribution.clone();
    }

    /**
     * Draws an action by inversion: the first whose cumulative probability, summed in index order,
     * exceeds one uniform number.
     *
     * <p>An action of probability 0 is never drawn; the remainder due to rounding goes to the last
     * action with a positive probability.
     *
     * @param probabilities probabilities of all actions, summing to 1. Not modified.
     */
    public static Decision drawnFrom(double[] probabilities, EventRandom random) {
        double u = random.nextDouble();
        double sum = 0.0;
        int drawn = -1;
        int last = -1;
        for (int action = 0; action < probabilities.length; action++) {
            double probability = probabilities[action];
            if (!(probability >= 0.0 && probability <= 1.0)) {
                throw new IllegalArgumentException(
                        "probability of action %d must be in [0, 1], got %s"
                                .formatted(action, probability));
            }
            if (probability > 0.0) {
                sum += probability;
                last = action;
                if (drawn < 0 && u < sum) {
                    drawn = action;
                }
            }
        }
        if (!(Math.abs(sum - 1.0) <= SUM_TOLERANCE)) {
            throw new IllegalArgumentException("probabilities must sum to 1, got " + sum);
        }
        int action = drawn < 0 ? last : drawn;
        return new Decision(action, probabilities[action], PropensityKind.EXACT, probabilities);
    }

    /** An action that is taken with probability 1. */
    public static Decision certain(int action, int actions) {
        double[] distribution = new double[actions];
        distribution[action] = 1.0;
        return new Decision(action, 1.0, PropensityKind.EXACT, distribution);
    }

    /** The action, from 0. */
    public int action() {
        return action;
    }

    /** The probability with which it was drawn, in (0, 1]. */
    public double propensity() {
        return propensity;
    }

    public PropensityKind kind() {
        return kind;
    }

    /** The probabilities of all actions, or empty if they are unknown; a copy. */
    public double[] distribution() {
        return distribution.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Decision that
                && action == that.action
                && Double.compare(propensity, that.propensity) == 0
                && kind == that.kind
                && Arrays.equals(distribution, that.distribution);
    }

    @Override
    public int hashCode() {
        return 31 * action + Double.hashCode(propensity);
    }

    @Override
    public String toString() {
        return "Decision[action %d with propensity %s, %s]".formatted(action, propensity, kind);
    }
}
