package io.counterflow.core.bound;

import io.counterflow.core.numeric.Require;

/**
 * The Lipschitz constant β of the softmax negative log-likelihood ℓ(θ, x, a) = −ln
 * ς<sub>θ</sub>(a|x) in θ, where ‖φ(x, k)‖ ≤ B for all contexts and actions.
 *
 * <p>A differentiable function is Lipschitz with the largest norm of its gradient, here ∇ℓ =
 * Σ<sub>k</sub> (π<sub>k</sub> − 1{k=a}) φ(x, k) with π = ς<sub>θ</sub>(·|x).
 *
 * <p><b>Block features</b>, φ(x, k) = x in block k: the summands are orthogonal and ‖∇ℓ‖² = ‖x‖²
 * Σ<sub>k</sub> (π<sub>k</sub> − 1{k=a})². With s = 1 − π<sub>a</sub> the sum is s² +
 * Σ<sub>k≠a</sub> π<sub>k</sub>² ≤ s² + (Σ<sub>k≠a</sub> π<sub>k</sub>)² = 2s² ≤ 2. So β = √2 B,
 * approached with two actions as π<sub>a</sub> → 0.
 *
 * <p><b>Shared features</b>, any φ: ∇ℓ = E<sub>k∼π</sub>[φ(x, k)] − φ(x, a), and both have norm at
 * most B. So β = 2B, approached when φ(x, k) = −φ(x, a).
 */
final class SoftmaxLipschitz {

    private SoftmaxLipschitz() {}

    /** √2 B, for a model with a block of weights per action. */
    public static double blockFeatures(double normBound) {
        return Math.sqrt(2.0) * Require.finiteAtLeastZero(normBound, "normBound");
    }

    /** 2B, for a model whose weights are shared by the actions, as hashed ones are. */
    public static double sharedFeatures(double normBound) {
        return 2.0 * Require.finiteAtLeastZero(normBound, "normBound");
    }
}
