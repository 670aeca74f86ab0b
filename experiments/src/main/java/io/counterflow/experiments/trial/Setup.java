package io.counterflow.experiments.trial;

import io.counterflow.cli.console.Figures;
import io.counterflow.core.numeric.Require;
import io.counterflow.experiments.data.ClassificationData;
import io.counterflow.experiments.report.ExperimentReport;
import io.counterflow.experiments.report.ResultTable;
import io.counterflow.experiments.run.UnitKey;

/**
 * The setup of an experiment.
 *
 * @param data the data set, shared by all units
 * @param logging settings of the logging policy
 * @param trials number of random splits
 * @param seed seed of all random numbers
 */
public record Setup(ClassificationData data, LoggingSettings logging, int trials, long seed) {

    /**
     * Version of the results. Increase it with every change that affects numbers, such as another
     * order of draws or another optimiser step. Results of older code are then computed again and
     * never mixed with new ones.
     */
    private static final String RESULTS_VERSION = "v1";

    public Setup {
        Require.atLeast(1, trials, "trials");
    }

    /** Number of examples that a trial logs. */
    public int logged() {
        return data.train().size() - logging.supervised();
    }

    public Trial trial(int number) {
        return Trial.split(data, logging, seed, number);
    }

    /** The number of trials in words. */
    public String countedTrials() {
        return Figures.count(trials, "trial", "trials");
    }

    /** A report of an experiment with this setup. */
    public ExperimentReport report(String experiment, String introduction, ResultTable<?> table) {
        return new ExperimentReport(experiment + '-' + data.kind(), introduction, table)
                .fact("experiment", experiment)
                .fact("dataset", data.kind().toString())
                .fact("trials", trials)
                .fact("seed", seed);
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
