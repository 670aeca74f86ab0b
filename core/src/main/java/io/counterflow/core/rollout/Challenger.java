package io.counterflow.core.rollout;

import io.counterflow.core.numeric.Require;

/**
 * A version in the context of an example, next to the version that it is compared with.
 *
 * @param probability π(a|x) of the example's action
 * @param loss the most that it can lose in this context, Σ<sub>a</sub> max(π<sub>other</sub>(a|x) −
 *     π(a|x), 0); 0 if (π<sub>other</sub> − π)/p ≤ 1 for every action, so that no D is below −1
 */
public record Challenger(double probability, double loss) {

    /** A version that is not compared. */
    public static final Challenger NONE = new Challenger(0.0, 0.0);

    public Challenger {
        Require.share(probability, "probability");
        Require.share(loss, "loss");
    }

    /** On events that the other version decided alone, where no D is below −1. */
    public static Challenger of(double probability) {
        return new Challenger(probability, 0.0);
    }
}
