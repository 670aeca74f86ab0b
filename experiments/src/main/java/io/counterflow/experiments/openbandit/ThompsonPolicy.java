package io.counterflow.experiments.openbandit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.counterflow.cli.console.BadInputException;
import io.counterflow.core.numeric.EventRandom;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The Bernoulli Thompson sampler that logged a part of the Open Bandit Dataset: it draws a number
 * from the Beta posterior of each item and shows the items with the largest ones, the largest at
 * position 1. Its parameters do not change during the log, so the probability of an item at a
 * position is a constant, which is simulated.
 */
final class ThompsonPolicy {

    static final int POSITIONS = 3;

    private final double[] alphas;
    private final double[] betas;

    private ThompsonPolicy(double[] alphas, double[] betas) {
        this.alphas = alphas;
        this.betas = betas;
    }

    /** Reads the parameters of a campaign from {@code bts-prior.yaml}. */
    static ThompsonPolicy read(Path file, String campaign) throws IOException {
        JsonNode parameters = new YAMLMapper().readTree(file.toFile()).path(campaign);
        double[] alphas = numbers(file, campaign + ".alpha", parameters.path("alpha"));
        double[] betas = numbers(file, campaign + ".beta", parameters.path("beta"));
        if (alphas.length != betas.length || alphas.length < POSITIONS) {
            throw new BadInputException(
                    "%s: %s must have as many alphas as betas, one per item, got %d and %d"
                            .formatted(file, campaign, alphas.length, betas.length));
        }
        return new ThompsonPolicy(alphas, betas);
    }

    private static double[] numbers(Path file, String name, JsonNode list) {
        double[] numbers = new double[list.size()];
        for (int k = 0; k < numbers.length; k++) {
            numbers[k] = list.get(k).asDouble(Double.NaN);
            if (!(numbers[k] >= 1.0 && numbers[k] <= 1e9)) {
                throw new BadInputException(
                        "%s: %s[%d] must be in [1, 1e9], got %s"
                                .formatted(file, name, k, list.get(k)));
            }
        }
        return numbers;
    }

    int items() {
        return alphas.length;
    }

    /**
     * Simulates the probabilities of all items at each position.
     *
     * @param draws number of simulated decisions
     * @return by position, from 0, and item
     */
    double[][] probabilities(int draws, EventRandom random) {
        int[][] counts = new int[POSITIONS][items()];
        double[] drawn = new double[items()];
        for (int draw = 0; draw < draws; draw++) {
            for (int k = 0; k < drawn.length; k++) {
                double a = gamma(alphas[k], random);
                drawn[k] = a / (a + gamma(betas[k], random));
            }
            for (int position = 0; position < POSITIONS; position++) {
                int best = 0;
                for (int k = 1; k < drawn.length; k++) {
                    best = drawn[k] > drawn[best] ? k : best;
                }
                counts[position][best]++;
                drawn[best] = -1.0;
            }
        }
        double[][] probabilities = new double[POSITIONS][items()];
        for (int position = 0; position < POSITIONS; position++) {
            for (int k = 0; k < items(); k++) {
                probabilities[position][k] = (double) counts[position][k] / draws;
            }
        }
        return probabilities;
    }

    /** A draw from the gamma distribution with scale one (Marsaglia and Tsang 2000), shape ≥ 1. */
    private static double gamma(double shape, EventRandom random) {
        double d = shape - 1.0 / 3.0;
        double c = 1.0 / Math.sqrt(9.0 * d);
        while (true) {
            double x = random.nextGaussian();
            double v = 1.0 + c * x;
            if (v > 0.0) {
                double cube = v * v * v;
                double u = random.nextDouble();
                if (StrictMath.log(u) < 0.5 * x * x + d - d * cube + d * StrictMath.log(cube)) {
                    return d * cube;
                }
            }
        }
    }
}
