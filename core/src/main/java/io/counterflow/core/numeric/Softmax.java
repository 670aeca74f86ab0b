package io.counterflow.core.numeric;

/**
 * The softmax of scores and its logarithm, without overflow.
 *
 * <p>π<sub>k</sub> = exp(s<sub>k</sub> − m) / Σ exp(s<sub>j</sub> − m), with m the largest score.
 * Sums run in index order.
 */
public final class Softmax {

    private Softmax() {}

    /**
     * Turns scores into probabilities.
     *
     * @param scores scores, finite. The first {@code n} are overwritten by probabilities.
     * @throws IllegalArgumentException if a score is not finite
     */
    public static void inPlace(double[] scores, int n) {
        double largest = largest(scores, n);
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            double e = Exponential.exp(scores[k] - largest);
            scores[k] = e;
            sum += e;
        }
        for (int k = 0; k < n; k++) {
            scores[k] /= sum;
        }
    }

    /**
     * Returns ln π<sub>action</sub> = s<sub>action</sub> − ln Σ exp(s<sub>k</sub>), accurate even
     * if the probability rounds to zero.
     *
     * @param scores scores, finite. Not modified.
     */
    public static double logProbability(double[] scores, int n, int action) {
        double largest = largest(scores, n);
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            sum += Exponential.exp(scores[k] - largest);
        }
        return scores[action] - largest - StrictMath.log(sum);
    }

    private static double largest(double[] scores, int n) {
        double largest = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < n; k++) {
            double score = scores[k];
            if (!(Math.abs(score) <= Double.MAX_VALUE)) {
                throw new IllegalArgumentException(
                        "score of action " + k + " must be finite, got " + score);
            }
            largest = Math.max(largest, score);
        }
        if (n < 1) {
            throw new IllegalArgumentException("a softmax needs at least one action, got " + n);
        }
        return largest;
    }
}
