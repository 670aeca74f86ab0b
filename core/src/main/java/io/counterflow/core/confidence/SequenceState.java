package io.counterflow.core.confidence;

import io.counterflow.core.numeric.Numbers;
import io.counterflow.core.numeric.Require;

/**
 * The state of a confidence sequence, for storage. Immutable.
 *
 * @param grid the λ<sub>j</sub>
 * @param logSums Σ ln(1 + λ<sub>j</sub> X<sub>i</sub>) for each
 * @param count n
 */
public record SequenceState(Numbers grid, Numbers logSums, long count) {

    public SequenceState {
        if (grid.size() == 0 || grid.size() != logSums.size()) {
            throw new IllegalArgumentException(
                    "a sequence needs a sum for each of at least one lambda, got %d and %d"
                            .formatted(logSums.size(), grid.size()));
        }
        Require.atLeast(0, count, "count");
        for (int j = 0; j < grid.size(); j++) {
            Require.smoothing(grid.get(j));
            Require.finiteAtLeastZero(logSums.get(j), "logSums");
        }
    }
}
