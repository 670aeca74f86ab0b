package io.counterflow.core.policy;

import io.counterflow.core.features.ActionFeatures;
import io.counterflow.core.features.SparseVector;
import io.counterflow.core.numeric.EventRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * The noise of hashed features through its covariance σ²ΦΦᵀ, which is K × K: as many normals as ΦΦᵀ
 * has rank, at most K, however many weights the request touches.
 *
 * <p>ΦΦᵀ = LLᵀ by Cholesky's method, with the largest remaining diagonal entry as the next pivot.
 * Actions whose features depend on each other make the matrix singular, and the plain method would
 * refuse it; with pivots it ends when nothing remains. What it leaves is below the rounding of
 * float features.
 */
final class CovarianceNoise implements ScoreNoise {

    /** A remaining variance below this share of the largest one is rounding. */
    private static final double NEGLIGIBLE = 0x1p-46;

    private final double deviation;
    private final List<double[]> columns; // of L: an entry per action

    /**
     * @param deviation σ
     */
    CovarianceNoise(ActionFeatures phi, double deviation) {
        this.deviation = deviation;
        this.columns = pivotedCholesky(gram(phi));
    }

    @Override
    public void addTo(double[] scores, EventRandom random) {
        for (int j = 0; j < columns.size(); j++) {
            double draw = deviation * random.nextGaussian();
            double[] column = columns.get(j);
            for (int action = 0; action < column.length; action++) {
                scores[action] += column[action] * draw;
            }
        }
    }

    /** Number of normals per draw. */
    int rank() {
        return columns.size();
    }

    private static double[][] gram(ActionFeatures phi) {
        int n = phi.actions();
        int[][] indices = new int[n][];
        float[][] values = new float[n][];
        double[][] gram = new double[n][n];
        for (int a = 0; a < n; a++) {
            SparseVector row = phi.row(a);
            indices[a] = row.indices();
            values[a] = row.values();
            for (int b = 0; b <= a; b++) {
                gram[a][b] = dot(indices[a], values[a], indices[b], values[b]);
                gram[b][a] = gram[a][b];
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

    private static List<double[]> pivotedCholesky(double[][] matrix) {
        int n = matrix.length;
        double[] remaining = new double[n];
        for (int i = 0; i < n; i++) {
            remaining[i] = matrix[i][i];
        }
        double negligible = NEGLIGIBLE * remaining[largest(remaining)];
        List<double[]> columns = new ArrayList<>();
        int pivot = largest(remaining);
        while (columns.size() < n && remaining[pivot] > negligible) {
            double[] column = new double[n];
            double diagonal = Math.sqrt(remaining[pivot]);
            for (int i = 0; i < n; i++) {
                double entry = matrix[i][pivot];
                for (double[] earlier : columns) {
                    entry -= earlier[i] * earlier[pivot];
                }
                column[i] = remaining[i] > 0.0 ? entry / diagonal : 0.0;
            }
            for (int i = 0; i < n; i++) {
                remaining[i] -= column[i] * column[i];
            }
            column[pivot] = diagonal;
            remaining[pivot] = 0.0; // taken: later columns are zero here
            columns.add(column);
            pivot = largest(remaining);
        }
        return columns;
    }

    private static int largest(double[] values) {
        int largest = 0;
        for (int i = 1; i < values.length; i++) {
            largest = values[i] > values[largest] ? i : largest;
        }
        return largest;
    }
}
