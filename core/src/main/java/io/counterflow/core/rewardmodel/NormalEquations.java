package io.counterflow.core.rewardmodel;

/**
 * The normal equations (ΦᵀΦ + αI) θ = Φᵀr of a ridge regression, as products, for a matrix that is
 * too large or too sparse to be computed.
 */
interface NormalEquations {

    /** Length of θ. */
    int dimension();

    /** Overwrites {@code product} by (ΦᵀΦ + αI) v. */
    void multiply(double[] v, double[] product);

    /** Φᵀr, as a new array. */
    double[] rightHandSide();

    /** The diagonal of ΦᵀΦ + αI, as a new array. */
    double[] diagonal();
}
