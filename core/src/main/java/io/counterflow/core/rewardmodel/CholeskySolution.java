package io.counterflow.core.rewardmodel;

import java.util.Optional;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.factory.LinearSolverFactory_DDRM;
import org.ejml.interfaces.linsol.LinearSolverDense;

/**
 * Solves positive definite equations by Cholesky decomposition.
 *
 * <p>The solver works row by row in plain arithmetic on one thread, so equal equations give equal
 * bits on every machine.
 */
final class CholeskySolution {

    private CholeskySolution() {}

    /**
     * The solution; empty if the matrix is too close to singular for doubles.
     *
     * @param matrix symmetric. Overwritten.
     * @param rightHandSide not modified
     */
    static Optional<double[]> solve(DMatrixRMaj matrix, double[] rightHandSide) {
        int d = rightHandSide.length;
        LinearSolverDense<DMatrixRMaj> solver = LinearSolverFactory_DDRM.symmPosDef(d);
        if (!solver.setA(matrix)) {
            return Optional.empty();
        }
        DMatrixRMaj right = new DMatrixRMaj(d, 1);
        System.arraycopy(rightHandSide, 0, right.data, 0, d);
        DMatrixRMaj solution = new DMatrixRMaj(d, 1);
        solver.solve(right, solution);
        for (double parameter : solution.data) {
            if (!(Math.abs(parameter)
                    <= Double.MAX_VALUE)) { // a factor of NaN is not detected by the solver
                return Optional.empty();
            }
        }
        return Optional.of(solution.data);
    }
}
