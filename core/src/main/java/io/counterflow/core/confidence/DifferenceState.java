package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Numbers;
import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * The state of a {@link DifferenceConfidenceSequence}, for storage. Immutable.
 *
 * @param grid the λ<sub>j</sub>
 * @param logSums a sum for each λ of the grid
 * @param counts number of examples for each level of the bound W on the holder's weight. Copied.
 */
public record DifferenceState(Numbers grid, Numbers logSums, List<Long> counts) {

    public DifferenceState {
        if (grid.size() == 0
                || grid.size() != logSums.size()
                || counts.size() != DifferenceConfidenceSequence.levelCount()) {
            throw new IllegalArgumentException(
                    "a sequence of differences needs a sum for each of at least one lambda and %d counts, got %d, %d and %d"
                            .formatted(
                                    DifferenceConfidenceSequence.levelCount(),
                                    logSums.size(),
                                    grid.size(),
                                    counts.size()));
        }
        for (int j = 0; j < grid.size(); j++) {
            Require.smoothing(grid.get(j));
            Require.finite(logSums.get(j), "logSums");
        }
        for (long count : counts) {
            Require.atLeast(0, count, "counts");
        }
        counts = List.copyOf(counts);
    }
}
