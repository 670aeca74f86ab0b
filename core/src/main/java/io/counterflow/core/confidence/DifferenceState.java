package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * The state of a {@link DifferenceConfidenceSequence}, for storage. Immutable.
 *
 * @param grid the λ<sub>j</sub>. Copied.
 * @param logSums a sum for each λ of the grid. Copied.
 * @param counts number of examples for each bound W = 1, 2, 4, … on the holder's weight. Copied.
 */
public record DifferenceState(List<Double> grid, List<Double> logSums, List<Long> counts) {

    public DifferenceState {
        if (grid.isEmpty()
                || grid.size() != logSums.size()
                || counts.size() != DifferenceConfidenceSequence.levels()) {
            throw new IllegalArgumentException(
                    "a sequence of differences needs a sum for each of at least one lambda and %d counts, got %d, %d and %d"
                            .formatted(
                                    DifferenceConfidenceSequence.levels(),
                                    logSums.size(),
                                    grid.size(),
                                    counts.size()));
        }
        for (double lambda : grid) {
            Require.smoothing(lambda);
        }
        for (double sum : logSums) {
            Require.finite(sum, "logSums");
        }
        for (long count : counts) {
            Require.atLeast(0, count, "counts");
        }
        grid = List.copyOf(grid);
        logSums = List.copyOf(logSums);
        counts = List.copyOf(counts);
    }
}
