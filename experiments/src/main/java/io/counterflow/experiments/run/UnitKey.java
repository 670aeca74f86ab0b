package io.counterflow.experiments.run;

import java.util.Comparator;

/**
 * What a result is the result of: all that it depends on.
 *
 * @param experiment which experiment
 * @param dataset which data set
 * @param source version of the code's numbers, fingerprint of the data, and how it is logged, so
 *     that results of other code or data are never taken for these
 * @param trial which random split, from 0
 * @param method what was learned, or how
 * @param setting what else was set; empty for nothing
 * @param lambda λ; 0 where there is none
 * @param fold the part that was left out and judged by, or {@link #WHOLE_LOG}
 * @param epochs passes over the log; 0 where nothing is trained
 * @param seed of the experiment
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

    /** The fold of a policy that is trained on all of the log and judged by test data. */
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
        requirePlain(experiment);
        requirePlain(dataset);
        requirePlain(source);
        requirePlain(method);
        requirePlain(setting);
    }

    /** Result files separate with commas and quote nothing. */
    private static void requirePlain(String word) {
        if (word.indexOf(',') >= 0 || word.indexOf('\n') >= 0 || word.indexOf('\r') >= 0) {
            throw new IllegalArgumentException(
                    "a key must have no comma and no line end, got \"" + word + '"');
        }
    }

    /** The same with another setting. */
    UnitKey with(String otherSetting) {
        return new UnitKey(
                experiment,
                dataset,
                source,
                trial,
                method,
                otherSetting,
                lambda,
                fold,
                epochs,
                seed);
    }

    @Override
    public int compareTo(UnitKey other) {
        return ORDER.compare(this, other);
    }
}
