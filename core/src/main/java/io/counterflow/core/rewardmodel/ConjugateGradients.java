package io.counterflow.core.rewardmodel;

/**
 * Solves positive definite equations by conjugate gradients (Hestenes and Stiefel 1952),
 * preconditioned by the diagonal, starting at zero.
 *
 * <p>All sums run in index order, so equal equations give equal bits.
 */
final class ConjugateGradients {

    private ConjugateGradients() {}

    /**
     * @throws IllegalArgumentException if the equations are not positive definite
     */
    static double[] solve(NormalEquations equations, double tolerance, int maxIterations) {
        int d = equations.dimension();
        double[] solution = new double[d];
        double[] residual = equations.rightHandSide();
        double[] diagonal = equations.diagonal();
        double goal = tolerance * tolerance * dot(residual, residual);
        if (goal == 0.0) {
            return solution; // the right-hand side is zero, so the solution is zero
        }
        double[] scaled = new double[d];
        divide(residual, diagonal, scaled);
        double[] direction = scaled.clone();
        double[] product = new double[d];
        double squared = dot(residual, scaled);
        for (int step = 0; step < maxIterations; step++) {
            equations.multiply(direction, product);
            double curvature = dot(direction, product);
            if (!(curvature > 0.0 && curvature <= Double.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        "normal equations (%dx%d) are not positive definite".formatted(d, d));
            }
            double length = squared / curvature;
            addTo(solution, length, direction);
            addTo(residual, -length, product);
            if (dot(residual, residual) <= goal) {
                break;
            }
            divide(residual, diagonal, scaled);
            double next = dot(residual, scaled);
            double turn = next / squared;
            for (int j = 0; j < d; j++) {
                direction[j] = scaled[j] + turn * direction[j];
            }
            squared = next;
        }
        return solution;
    }

    private static double dot(double[] a, double[] b) {
        double sum = 0.0;
        for (int j = 0; j < a.length; j++) {
            sum += a[j] * b[j];
        }
        return sum;
    }

    private static void addTo(double[] target, double factor, double[] v) {
        for (int j = 0; j < target.length; j++) {
            target[j] += factor * v[j];
        }
    }

    private static void divide(double[] a, double[] b, double[] quotient) {
        for (int j = 0; j < a.length; j++) {
            quotient[j] = a[j] / b[j];
        }
    }
}
