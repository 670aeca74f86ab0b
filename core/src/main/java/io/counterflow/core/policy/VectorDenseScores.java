package io.counterflow.core.policy;

import io.counterflow.core.features.DenseVector;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The scores with the JDK's vector module, which may be absent. No other class of the package uses
 * its types.
 *
 * <p>Each lane belongs to an action, so the sum of a score is computed within a lane, in order.
 * Weights are transposed once. Products and sums are rounded separately, without fused
 * multiply-add, so the bits are the same as in plain code.
 *
 * <p>Every vector is full: the last one begins so early that it ends with the last action, and
 * computes some scores a second time. So whole vectors are stored; reading single lanes would
 * allocate objects unless the compiler happens to inline it. Actions that do not fill one vector
 * are scored by plain code.
 *
 * <p>No method takes or returns a vector: where the compiler does not inline such a method, which
 * depends on the order in which methods are compiled, each vector is an object.
 */
final class VectorDenseScores extends DenseScores {

    private static final VectorSpecies<Float> SPECIES =
            FloatVector.SPECIES_PREFERRED.length() > 8
                    ? FloatVector.SPECIES_256
                    : FloatVector.SPECIES_PREFERRED;

    /** Half as many lanes. */
    private static final VectorSpecies<Double> DOUBLES =
            VectorSpecies.of(double.class, SPECIES.vectorShape());

    private static final int LANES = SPECIES.length();
    private static final int DOUBLE_LANES = DOUBLES.length();

    /** Vectors are summed in pairs, whose weights lie side by side. */
    private static final int PAIR = 2 * LANES;

    private final int actions;
    private final int vectors;

    /** By pair of vectors: biases, then the weights of each coordinate. */
    private final float[][] turned;

    VectorDenseScores(float[][] weights, float[] biases) {
        super(weights, biases);
        this.actions = weights.length;
        this.vectors = actions < LANES ? 0 : (actions + LANES - 1) / LANES;
        this.turned = new float[(vectors + 1) / 2][];
        int dimension = weights[0].length;
        for (int pair = 0; pair < turned.length; pair++) {
            turned[pair] = new float[(dimension + 1) * PAIR];
        }
        for (int v = 0; v < vectors; v++) {
            float[] to = turned[v / 2];
            for (int lane = 0; lane < LANES; lane++) {
                int at = v % 2 * LANES + lane;
                to[at] = biases[first(v) + lane];
                float[] w = weights[first(v) + lane];
                for (int j = 0; j < dimension; j++) {
                    to[(j + 1) * PAIR + at] = w[j];
                }
            }
        }
    }

    /** The action of a vector's first lane. */
    private int first(int vector) {
        return Math.min(vector * LANES, actions - LANES);
    }

    @Override
    void scores(DenseVector x, double[] scores) {
        if (vectors == 0) {
            super.scores(x, scores);
            return;
        }
        float[] values = x.values();
        for (int v = 0; v < vectors; v += 2) {
            if (v + 1 < vectors) {
                twoVectors(values, turned[v / 2], scores, first(v), first(v + 1));
            } else {
                oneVector(values, turned[v / 2], scores, first(v));
            }
        }
    }

    private static void twoVectors(
            float[] x, float[] turned, double[] scores, int first, int second) {
        FloatVector a = FloatVector.fromArray(SPECIES, turned, 0);
        FloatVector b = FloatVector.fromArray(SPECIES, turned, LANES);
        for (int j = 0; j < x.length; j++) {
            FloatVector xj = FloatVector.broadcast(SPECIES, x[j]);
            int at = j * PAIR + PAIR;
            a = a.add(xj.mul(FloatVector.fromArray(SPECIES, turned, at)));
            b = b.add(xj.mul(FloatVector.fromArray(SPECIES, turned, at + LANES)));
        }
        // Adds 0, which turns −0 into 0, as in DenseVector.dot.
        a = a.add(0.0f);
        b = b.add(0.0f);
        ((DoubleVector) a.convertShape(VectorOperators.F2D, DOUBLES, 0)).intoArray(scores, first);
        ((DoubleVector) a.convertShape(VectorOperators.F2D, DOUBLES, 1))
                .intoArray(scores, first + DOUBLE_LANES);
        ((DoubleVector) b.convertShape(VectorOperators.F2D, DOUBLES, 0)).intoArray(scores, second);
        ((DoubleVector) b.convertShape(VectorOperators.F2D, DOUBLES, 1))
                .intoArray(scores, second + DOUBLE_LANES);
    }

    private static void oneVector(float[] x, float[] turned, double[] scores, int first) {
        FloatVector a = FloatVector.fromArray(SPECIES, turned, 0);
        for (int j = 0; j < x.length; j++) {
            FloatVector w = FloatVector.fromArray(SPECIES, turned, j * PAIR + PAIR);
            a = a.add(FloatVector.broadcast(SPECIES, x[j]).mul(w));
        }
        a = a.add(0.0f); // as above
        ((DoubleVector) a.convertShape(VectorOperators.F2D, DOUBLES, 0)).intoArray(scores, first);
        ((DoubleVector) a.convertShape(VectorOperators.F2D, DOUBLES, 1))
                .intoArray(scores, first + DOUBLE_LANES);
    }
}
