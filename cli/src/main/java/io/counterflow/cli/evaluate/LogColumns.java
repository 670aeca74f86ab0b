package io.counterflow.cli.evaluate;

import io.counterflow.core.log.Impression;
import io.counterflow.core.policy.PropensityKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What an evaluation needs of each impression beside its example: the logged distribution, the
 * segment and the event id.
 */
final class LogColumns {

    private static final double[] UNKNOWN = {};

    private final Optional<Segments> segments;
    private final boolean keepEventIds;
    private final List<double[]> distributions = new ArrayList<>();
    private final List<String> eventIds = new ArrayList<>();
    private long notExact;

    /**
     * @param segments what to divide the log by; empty for one part
     */
    LogColumns(Optional<Segments> segments, boolean keepEventIds) {
        this.segments = segments;
        this.keepEventIds = keepEventIds;
    }

    /** Takes the impression of the next example. */
    void add(Impression impression) {
        boolean exact = impression.choice().propensityKind() == PropensityKind.EXACT;
        notExact += exact ? 0 : 1;
        List<Double> logged = impression.choice().distribution();
        distributions.add(
                exact && !logged.isEmpty()
                        ? logged.stream().mapToDouble(Double::doubleValue).toArray()
                        : UNKNOWN);
        segments.ifPresent(it -> it.add(impression));
        if (keepEventIds) {
            eventIds.add(impression.eventId());
        }
    }

    /** The logged probabilities of all actions of an example; no entries if they are not known. */
    double[] distribution(int example) {
        return distributions.get(example);
    }

    /** The event ids of all examples, if they are kept. */
    List<String> eventIds() {
        return eventIds;
    }

    /** The number of propensities that are estimates or bounds. */
    long notExact() {
        return notExact;
    }
}
