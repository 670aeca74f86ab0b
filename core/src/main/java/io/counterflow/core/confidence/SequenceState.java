package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Require;
import java.util.List;

/**
 * The state of a confidence sequence, for storage. Immutable.
 *
 * @param grid the λ<sub>j</sub>. Copied.
 * @param logSums Σ ln(1 + λ<sub>j</sub> X<sub>i</sub>) for each. Copied.
 * @param count n
 */
public record SequenceState(List<Double> grid, List<Double> logSums, long count) {

    public SequenceState {
        if (grid.isEmpty() || grid.size() != logSums.size()) {
            throw new IllegalArgumentException(
                    "a sequence needs a sum for each of at least one lambda, got %d and %d"
                            .formatted(logSums.size(), grid.size()));
        }
        Require.atLeast(0, count, "count");
        for (double lambda : grid) {
            Require.smoothing(lambda);
        }
        for (double sum : logSums) {
            Require.finiteAtLeastZero(sum, "logSums");
        }
        grid = List.copyOf(grid);
        logSums = List.copyOf(logSums);
    }
}
