package io.counterflow.core.confidence;

import java.util.Optional;

/**
 * The state of {@link MeanWeightBounds}.
 *
 * @param maxWeight W; +∞ if no bound holds
 * @param below the sequence of the lower side
 * @param above the sequence of the upper side; empty if there is none
 */
public record MeanWeightState(
        double maxWeight, SequenceState below, Optional<SequenceState> above) {

    public MeanWeightState {
        if (above.isPresent() != maxWeight < Double.POSITIVE_INFINITY) {
            throw new IllegalArgumentException(
                    "above must be present exactly if maxWeight is finite, got " + maxWeight);
        }
    }
}
