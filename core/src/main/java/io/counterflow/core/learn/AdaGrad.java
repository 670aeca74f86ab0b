package io.counterflow.core.learn;

import io.counterflow.core.numeric.Require;

/**
 * AdaGrad (Duchi, Hazan, Singer 2011): every parameter has its own learning rate, which decreases
 * with the sum of its squared gradients.
 *
 * <pre>q ← q + g²,   w ← w − rate · g / (√q + smoothing)</pre>
 *
 * @param learningRate the initial rate of a parameter, times the smoothing
 * @param smoothing keeps the first steps small; added outside the square root, as in the paper
 */
public record AdaGrad(double learningRate, double smoothing) {

    public AdaGrad {
        Require.finiteAboveZero(learningRate, "learningRate");
        Require.finiteAboveZero(smoothing, "smoothing");
    }

    /**
     * Takes one step on the gradient of data plus strength · ‖w − centre‖².
     *
     * @param gradient the data's gradient at {@code parameters}. Set to zero, for the next batch.
     * @param squaredGradientSum squared gradients so far. Overwritten.
     * @param parameters parameters before the step. Overwritten.
     * @param centre the centre of the regulariser. Not modified.
     */
    void step(
            float[] gradient,
            float[] squaredGradientSum,
            float[] parameters,
            float[] centre,
            float strength) {
        float rate = (float) learningRate;
        float smooth = (float) smoothing;
        float pull = 2.0f * strength;
        // One loop over arrays at equal positions: the compiler turns it into vector instructions.
        for (int i = 0; i < parameters.length; i++) {
            float g = gradient[i] + pull * (parameters[i] - centre[i]);
            float q = squaredGradientSum[i] + g * g;
            squaredGradientSum[i] = q;
            parameters[i] -= rate * g / ((float) Math.sqrt(q) + smooth);
            gradient[i] = 0.0f;
        }
    }

    /** The same step for some of the parameters. */
    void stepAt(
            int[] indices,
            int count,
            float[] gradient,
            float[] squaredGradientSum,
            float[] parameters,
            float[] centre,
            float strength) {
        float rate = (float) learningRate;
        float smooth = (float) smoothing;
        float pull = 2.0f * strength;
        for (int at = 0; at < count; at++) {
            int i = indices[at];
            float g = gradient[i] + pull * (parameters[i] - centre[i]);
            float q = squaredGradientSum[i] + g * g;
            squaredGradientSum[i] = q;
            parameters[i] -= rate * g / ((float) Math.sqrt(q) + smooth);
            gradient[i] = 0.0f;
        }
    }
}
