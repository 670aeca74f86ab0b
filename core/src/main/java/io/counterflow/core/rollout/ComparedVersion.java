package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;

/**
 * A version in the context of an example, next to the version that it is compared with.
 *
 * @param probability π(a|x) of the example's action
 * @param loss see {@link #loss}; 0 for events that the other version decided alone, where no D is
 *     below −1
 */
public record ComparedVersion(double probability, double loss) {

    /** A version that is not there or not compared. */
    public static final ComparedVersion NONE = new ComparedVersion(0.0, 0.0);

    public ComparedVersion {
        Require.share(probability, "probability of a version");
        Require.share(loss, "loss of a version");
    }

    /** A version on events that the other one decided alone. */
    public static ComparedVersion of(double probability) {
        return new ComparedVersion(probability, 0.0);
    }

    /**
     * The most that a challenger can lose next to a holder in a context, Σ<sub>a</sub>
     * max(π<sub>h</sub>(a|x) − π<sub>c</sub>(a|x), 0), if (π<sub>h</sub> − π<sub>c</sub>)/p is
     * above 1 for some action; otherwise 0.
     *
     * @param holder π<sub>h</sub> of at least the first {@code actions} actions
     * @param challenger π<sub>c</sub>
     * @param logging p, with which each action is logged
     */
    public static double loss(double[] holder, double[] challenger, double[] logging, int actions) {
        boolean isFar = false;
        double loss = 0.0;
        for (int a = 0; a < actions; a++) {
            double less = holder[a] - challenger[a];
            if (less > 0.0) {
                loss += less;
                isFar |= less > logging[a];
            }
        }
        return isFar ? Math.min(1.0, loss) : 0.0;
    }
}
