package io.counterflow.cli.imports;

import io.counterflow.core.log.Choice;
import java.util.List;

/** The probabilities of the actions of an event of decision-service JSON. */
final class DsjsonDistribution {

    private DsjsonDistribution() {}

    /**
     * The probability of every action; empty if {@code p} does not have it.
     *
     * <p>{@code a} ranks the actions from 1, and {@code p} has the order of {@code a}. Where {@code
     * a} counts from 0 it is not a ranking, and {@code p} has the order of the actions.
     *
     * @param ranking the field {@code a}
     * @param probabilities the field {@code p}
     * @param actions how many actions there are
     * @param action position of the chosen one
     * @param propensity its probability, with which {@code p} must agree
     */
    static List<Double> of(
            List<Long> ranking,
            List<Double> probabilities,
            int actions,
            int action,
            double propensity) {
        Double[] distribution = new Double[actions];
        boolean matches = probabilities.size() == actions && ranking.size() == actions;
        boolean ranked = !ranking.contains(0L);
        for (int i = 0; matches && i < actions; i++) {
            long position = ranking.get(i) - (ranked ? 1 : 0);
            matches = position >= 0 && position < actions;
            if (matches) {
                distribution[ranked ? (int) position : i] = probabilities.get(i);
            }
        }
        return matches && isDistribution(distribution, action, propensity)
                ? List.of(distribution)
                : List.of();
    }

    private static boolean isDistribution(Double[] distribution, int action, double propensity) {
        double sum = 0.0;
        for (Double p : distribution) {
            if (p == null || !(p >= 0.0 && p <= 1.0)) {
                return false;
            }
            sum += p;
        }
        return Math.abs(sum - 1.0) <= Choice.TOLERANCE
                && Math.abs(distribution[action] - propensity) <= Choice.TOLERANCE * propensity;
    }
}
