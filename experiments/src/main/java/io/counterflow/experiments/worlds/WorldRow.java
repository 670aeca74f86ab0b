package io.counterflow.experiments.worlds;

import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The results of all learners in a world.
 *
 * @param kind the world
 * @param shares how far each learner got
 */
record WorldRow(WorldKind kind, Map<Contestant, WorldShares> shares) {

    /** Average and final share of a learner. */
    String text(Contestant contestant) {
        return text(shares(contestant));
    }

    private static String text(WorldShares of) {
        return "%s / %s".formatted(share(of.average().mean()), share(of.last().mean()));
    }

    private static String share(double share) {
        // As in ".53": no zero before the point.
        return String.format(Locale.ROOT, "%.2f", share).replaceFirst("^(-?)0\\.", "$1.");
    }

    WorldShares shares(Contestant contestant) {
        return Optional.ofNullable(shares.get(contestant)).orElseThrow();
    }

    /** The learner of Vowpal Wabbit with the best average; empty if there is none. */
    Optional<Contestant> bestVowpalWabbit() {
        return shares.keySet().stream()
                .filter(Contestant::isVowpalWabbit)
                .max(Comparator.comparingDouble(it -> shares(it).average().mean()));
    }

    double uniformRate() {
        return shares.values().iterator().next().uniformRate();
    }

    double bestRate() {
        return shares.values().iterator().next().bestRate();
    }
}
