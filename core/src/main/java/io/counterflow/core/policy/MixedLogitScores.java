package io.counterflow.core.policy;

import io.counterflow.core.numeric.EventRandom;
import io.counterflow.core.numeric.Softmax;
import java.util.Arrays;

/** The scores of a mixed logit in one request: their means and their joint normal noise. */
final class MixedLogitScores {

    private final double[] means;
    private final ScoreNoise noise;
    private final AllowedActions allowed;
    private final double[] scores;

    /**
     * @param means the score of every action under the mean parameters, finite. Not copied.
     */
    MixedLogitScores(double[] means, ScoreNoise noise, AllowedActions allowed) {
        allowed.requireWithin(means.length);
        for (double mean : means) {
            if (!(Math.abs(mean) <= Double.MAX_VALUE)) {
                throw new IllegalArgumentException("scores must be finite, got " + mean);
            }
        }
        this.means = means;
        this.noise = noise;
        this.allowed = allowed;
        this.scores = new double[means.length];
    }

    /**
     * The allowed action of the highest score with Gumbel noise; draws a Gumbel for every action.
     */
    int draw(EventRandom random) {
        drawScores(random);
        int best = -1;
        double highest = Double.NEGATIVE_INFINITY;
        for (int action = 0; action < scores.length; action++) {
            double score = scores[action] + random.nextGumbel();
            if (allowed.contains(action) && score > highest) {
                highest = score;
                best = action;
            }
        }
        return best;
    }

    /**
     * Estimates the probability of every action by the mean of the softmax over draws of the
     * scores; without Gumbel noise, over which the softmax is the exact mean.
     *
     * <p>The estimates are unbiased; their reciprocals are too large on average. They are
     * independent of a draw if their random numbers are, so a decision first draws and then
     * estimates, from one sequence.
     *
     * @param samples at least 2; four times as many halve the error
     * @param averages the mean probability of every action. Overwritten.
     * @param standardErrors the standard error of each. Overwritten.
     */
    void average(int samples, EventRandom random, double[] averages, double[] standardErrors) {
        Arrays.fill(averages, 0.0);
        Arrays.fill(standardErrors, 0.0);
        for (int sample = 1; sample <= samples; sample++) {
            drawScores(random);
            allowed.gather(scores, scores.length);
            Softmax.inPlace(scores, allowed.count(scores.length));
            allowed.scatter(scores, scores.length);
            for (int action = 0; action < scores.length; action++) {
                // Welford's running mean and sum of squared deviations.
                double difference = scores[action] - averages[action];
                averages[action] += difference / sample;
                standardErrors[action] += difference * (scores[action] - averages[action]);
            }
        }
        for (int action = 0; action < scores.length; action++) {
            averages[action] = Math.min(1.0, Math.max(0.0, averages[action]));
            standardErrors[action] = Math.sqrt(standardErrors[action] / (samples - 1.0) / samples);
        }
    }

    /** ln of the softmax under the mean parameters. */
    double meanLogProbability(int action) {
        System.arraycopy(means, 0, scores, 0, means.length);
        allowed.gather(scores, scores.length);
        return Softmax.logProbability(
                scores, allowed.count(scores.length), allowed.positionOf(action));
    }

    private void drawScores(EventRandom random) {
        System.arraycopy(means, 0, scores, 0, means.length);
        noise.addTo(scores, random);
    }
}
