package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * The state of a {@link DifferenceConfidenceSequence}, for storage. Immutable.
 *
 * @param logSums a sum for each λ of the grid. Copied.
 * @param counts number of examples for each bound W = 1, 2, 4, … on the holder's weight. Copied.
 */
public record DifferenceState(List<Double> logSums, List<Long> counts) {

    public DifferenceState {
        if (logSums.size() != DifferenceConfidenceSequence.sums()
                || counts.size() != DifferenceConfidenceSequence.levels()) {
            throw new IllegalArgumentException(
                    "a sequence of differences needs %d sums and %d counts, got %d and %d"
                            .formatted(
                                    DifferenceConfidenceSequence.sums(),
                                    DifferenceConfidenceSequence.levels(),
                                    logSums.size(),
                                    counts.size()));
        }
        for (double sum : logSums) {
            Require.finite(sum, "logSums");
        }
        for (long count : counts) {
            Require.atLeast(0, count, "counts");
        }
        logSums = List.copyOf(logSums);
        counts = List.copyOf(counts);
    }
}
