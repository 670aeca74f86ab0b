package io.counterflow.experiments.trial;

import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.run.UnitKey;

/**
 * What an experiment is made with.
 *
 * @param data the data set, shared by all units
 * @param logging how the logging policy is made
 * @param trials random splits
 * @param seed of all random numbers
 */
public record Setup(ClassificationData data, LoggingSettings logging, int trials, long seed) {

    /**
     * Version of what the code computes. To be raised with every change that changes numbers, such
     * as another order of draws or another step of the optimiser: results of older code are then
     * computed again, and never mixed with new ones.
     */
    private static final String RESULTS_VERSION = "v1";

    public Setup {
        Require.atLeast(1, trials, "trials");
    }

    /** How many examples a trial logs. */
    public int logged() {
        return data.train().size() - logging.supervised();
    }

    public Trial trial(int number) {
        return Trial.split(data, logging, seed, number);
    }

    /** The key of a result of this setup. */
    public UnitKey key(
            String experiment,
            int trial,
            String method,
            String setting,
            double lambda,
            int fold,
            int epochs) {
        return new UnitKey(
                experiment,
                data.kind().toString(),
                source(),
                trial,
                method,
                setting,
                lambda,
                fold,
                epochs,
                seed);
    }

    /** Whether a result belongs to this setup's part of an experiment. */
    public boolean has(UnitKey key, String experiment) {
        return key.experiment().equals(experiment)
                && key.source().equals(source())
                && key.seed() == seed
                && key.trial() < trials;
    }

    private String source() {
        return "%s-%s-%d-%d-%s"
                .formatted(
                        RESULTS_VERSION,
                        data.fingerprint(),
                        logging.supervised(),
                        logging.epochs(),
                        logging.lambda());
    }
}
