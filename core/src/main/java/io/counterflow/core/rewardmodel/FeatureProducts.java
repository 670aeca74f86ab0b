package io.counterflow.core.rewardmodel;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.DenseVector;
import io.counterflow.core.features.FeatureVector;
import io.counterflow.core.features.SparseVector;

/**
 * Products of float features with double parameters.
 *
 * <p>Coordinate j of a context goes to partial sum j mod 4, in ascending order: four independent
 * chains are faster than one, and the dense and the sparse form of a vector give the same bits.
 */
final class FeatureProducts {

    private FeatureProducts() {}

    /** θ<sub>d</sub> + Σ x<sub>j</sub> θ<sub>j</sub>: the parameter after the last is the bias. */
    static double dot(FeatureVector x, double[] theta) {
        return x instanceof DenseVector dense
                ? dot(dense.values(), theta)
                : dot((SparseVector) x, theta);
    }

    private static double dot(float[] x, double[] theta) {
        double s0 = 0.0;
        double s1 = 0.0;
        double s2 = 0.0;
        double s3 = 0.0;
        int d = x.length;
        int whole = d & ~3;
        for (int j = 0; j < whole; j += 4) {
            s0 += x[j] * theta[j];
            s1 += x[j + 1] * theta[j + 1];
            s2 += x[j + 2] * theta[j + 2];
            s3 += x[j + 3] * theta[j + 3];
        }
        if (whole < d) {
            s0 += x[whole] * theta[whole];
        }
        if (whole + 1 < d) {
            s1 += x[whole + 1] * theta[whole + 1];
        }
        if (whole + 2 < d) {
            s2 += x[whole + 2] * theta[whole + 2];
        }
        return ((s0 + s1) + (s2 + s3)) + theta[d];
    }

    private static double dot(SparseVector x, double[] theta) {
        double s0 = 0.0;
        double s1 = 0.0;
        double s2 = 0.0;
        double s3 = 0.0;
        for (int i = 0; i < x.entries(); i++) {
            int j = x.index(i);
            double product = x.value(i) * theta[j];
            switch (j & 3) {
                case 0 -> s0 += product;
                case 1 -> s1 += product;
                case 2 -> s2 += product;
                default -> s3 += product;
            }
        }
        return ((s0 + s1) + (s2 + s3)) + theta[x.dimension()];
    }

    /** Adds {@code factor} · (x, 1) to {@code target}. */
    static void addTo(FeatureVector x, double factor, double[] target) {
        if (x instanceof DenseVector dense) {
            float[] values = dense.values();
            for (int j = 0; j < values.length; j++) {
                target[j] += factor * values[j];
            }
        } else {
            SparseVector sparse = (SparseVector) x;
            for (int i = 0; i < sparse.entries(); i++) {
                target[sparse.index(i)] += factor * sparse.value(i);
            }
        }
        target[x.dimension()] += factor;
    }

    /** Adds the squares of (x, 1) to {@code target}. */
    static void addSquaresTo(FeatureVector x, double[] target) {
        if (x instanceof DenseVector dense) {
            float[] values = dense.values();
            for (int j = 0; j < values.length; j++) {
                target[j] += (double) values[j] * values[j];
            }
        } else {
            SparseVector sparse = (SparseVector) x;
            for (int i = 0; i < sparse.entries(); i++) {
                target[sparse.index(i)] += (double) sparse.value(i) * sparse.value(i);
            }
        }
        target[x.dimension()] += 1.0;
    }

    /**
     * Adds (x, 1)(x, 1)ᵀ to a symmetric matrix, of which only the entries up to the diagonal are
     * kept: row j has j + 1 of them.
     */
    static void addOuterTo(FeatureVector x, double[][] lower) {
        int d = x.dimension();
        if (x instanceof DenseVector dense) {
            float[] values = dense.values();
            for (int j = 0; j < d; j++) {
                double[] row = lower[j];
                double factor = values[j];
                for (int k = 0; k <= j; k++) {
                    row[k] += factor * values[k];
                }
            }
        } else {
            SparseVector sparse = (SparseVector) x;
            for (int i = 0; i < sparse.entries(); i++) {
                double[] row = lower[sparse.index(i)];
                double factor = sparse.value(i);
                for (int e = 0; e <= i; e++) {
                    row[sparse.index(e)] += factor * sparse.value(e);
                }
            }
        }
        addTo(x, 1.0, lower[d]);
    }

    /** φ(x, action) · θ. */
    static double dot(ActionFeatures phi, int action, double[] theta) {
        double sum = 0.0;
        for (int i = phi.rowStart(action); i < phi.rowStart(action + 1); i++) {
            sum += phi.value(i) * theta[phi.index(i)];
        }
        return sum;
    }

    /** Adds {@code factor} · φ(x, action) to {@code target}. */
    static void addTo(ActionFeatures phi, int action, double factor, double[] target) {
        for (int i = phi.rowStart(action); i < phi.rowStart(action + 1); i++) {
            target[phi.index(i)] += factor * phi.value(i);
        }
    }
}
