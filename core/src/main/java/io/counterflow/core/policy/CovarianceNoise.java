package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.numeric.EventRandom;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.DecompositionFactory_DDRM;
import org.ejml.interfaces.decomposition.CholeskyDecomposition_F64;

/**
 * The noise of hashed features, drawn by its K × K covariance σ²ΦΦᵀ: one normal per action, for any
 * number of weights.
 *
 * <p>ΦΦᵀ = LLᵀ by Cholesky's method, and the noise is σLg for a vector g of K normals. If the
 * features of actions are linearly dependent, the matrix is singular. So a multiple of the identity
 * is added that is much smaller than the rounding of float features.
 */
final class CovarianceNoise implements ScoreNoise {

    /** First value added to the diagonal, relative to its largest entry. */
    private static final double JITTER = 0x1p-46;

    /** Factor by which the value grows if it is not enough. */
    private static final double GROWTH = 16.0;

    private final double deviation;
    private final DMatrixRMaj factor; // L, lower triangular
    private final double[] normals;

    /**
     * @param deviation σ
     */
    CovarianceNoise(ActionFeatures phi, double deviation) {
        this.deviation = deviation;
        this.factor = factor(gram(phi));
        this.normals = new double[phi.actions()];
    }

    @Override
    public void addTo(double[] scores, EventRandom random) {
        for (int i = 0; i < normals.length; i++) {
            normals[i] = deviation * random.nextGaussian();
        }
        for (int action = 0; action < normals.length; action++) {
            double sum = 0.0;
            for (int i = 0; i <= action; i++) {
                sum += factor.unsafe_get(action, i) * normals[i];
            }
            scores[action] += sum;
        }
    }

    private static DMatrixRMaj factor(DMatrixRMaj gram) {
        int n = gram.numRows;
        double largest = 0.0;
        for (int i = 0; i < n; i++) {
            largest = Math.max(largest, gram.get(i, i));
        }
        if (largest == 0.0) {
            return gram; // no action has a feature: the factor of zero is zero
        }
        CholeskyDecomposition_F64<DMatrixRMaj> cholesky = DecompositionFactory_DDRM.chol(n, true);
        for (double jitter = JITTER; jitter < 1.0; jitter *= GROWTH) {
            DMatrixRMaj definite = gram.copy(); // the decomposition may overwrite it
            for (int i = 0; i < n; i++) {
                definite.add(i, i, jitter * largest);
            }
            if (cholesky.decompose(definite)) {
                return cholesky.getT(null);
            }
        }
        throw new IllegalArgumentException(
                "the covariance of %d scores has no factor; features must be finite".formatted(n));
    }

    private static DMatrixRMaj gram(ActionFeatures phi) {
        int n = phi.actions();
        int[][] indices = new int[n][];
        float[][] values = new float[n][];
        DMatrixRMaj gram = new DMatrixRMaj(n, n);
        for (int a = 0; a < n; a++) {
            SparseVector row = phi.row(a);
            indices[a] = row.indices();
            values[a] = row.values();
            for (int b = 0; b <= a; b++) {
                double product = dot(indices[a], values[a], indices[b], values[b]);
                gram.set(a, b, product);
                gram.set(b, a, product);
            }
        }
        return gram;
    }

    /** Both with ascending indices. */
    private static double dot(int[] ai, float[] av, int[] bi, float[] bv) {
        double sum = 0.0;
        int a = 0;
        int b = 0;
        while (a < ai.length && b < bi.length) {
            int order = Integer.compare(ai[a], bi[b]);
            if (order == 0) {
                sum += (double) av[a] * bv[b];
            }
            a += order <= 0 ? 1 : 0;
            b += order >= 0 ? 1 : 0;
        }
        return sum;
    }
}
