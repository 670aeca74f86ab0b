package io.counterflow.experiments.run;

import java.util.Comparator;
import java.util.List;

/**
 * Identifies a result by everything that it depends on.
 *
 * @param experiment name of the experiment
 * @param dataset name of the data set
 * @param source version of the results, fingerprint of the data and settings of the logging policy,
 *     so that results of other code or data are not reused
 * @param trial number of the random split, from 0
 * @param method name of the method
 * @param setting other settings; empty if there are none
 * @param lambda λ; 0 if there is none
 * @param fold the fold that was held out for the evaluation, or {@link #WHOLE_LOG}
 * @param epochs passes over the log; 0 if nothing is trained
 * @param seed seed of the experiment
 */
public record UnitKey(
        String experiment,
        String dataset,
        String source,
        int trial,
        String method,
        String setting,
        double lambda,
        int fold,
        int epochs,
        long seed)
        implements Comparable<UnitKey> {

    /** The fold of a policy that is trained on the whole log and evaluated on test data. */
    public static final int WHOLE_LOG = -1;

    private static final Comparator<UnitKey> ORDER =
            Comparator.comparing(UnitKey::experiment)
                    .thenComparing(UnitKey::dataset)
                    .thenComparing(UnitKey::source)
                    .thenComparing(UnitKey::seed)
                    .thenComparing(UnitKey::trial)
                    .thenComparing(UnitKey::method)
                    .thenComparing(UnitKey::setting)
                    .thenComparing(UnitKey::epochs)
                    .thenComparing(UnitKey::lambda)
                    .thenComparing(UnitKey::fold);

    public UnitKey {
        List.of(experiment, dataset, source, method, setting).forEach(UnitKey::requirePlain);
    }

    /** Result files separate values with commas and do not quote them. */
    private static void requirePlain(String word) {
        if (word.indexOf(',') >= 0 || word.indexOf('\n') >= 0 || word.indexOf('\r') >= 0) {
            throw new IllegalArgumentException(
                    "a key must have no comma and no line end, got \"" + word + '"');
        }
    }

    @Override
    public int compareTo(UnitKey other) {
        return ORDER.compare(this, other);
    }
}
