package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;

/**
 * Bounds the divergence of two softmax policies in any context ({@code eq:trpo_equivalence}):
 * max<sub>x</sub> KL(ς<sub>θ₀</sub>(x)‖ς<sub>θ</sub>(x)) ≤ 2B‖θ − θ₀‖.
 */
final class SoftmaxDivergence {

    private SoftmaxDivergence() {}

    /**
     * The bound, 2B‖θ − θ₀‖.
     *
     * @param normBound B, with ‖φ(x, a)‖ ≤ B
     * @param squaredDistance ‖θ − θ₀‖²
     */
    static double bound(double normBound, double squaredDistance) {
        Require.finiteAtLeastZero(normBound, "normBound");
        Require.finiteAtLeastZero(squaredDistance, "squaredDistance");
        return 2.0 * normBound * Math.sqrt(squaredDistance);
    }
}
