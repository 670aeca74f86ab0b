package io.counterflow.core.rollout;

import io.counterflow.core.confidence.DifferenceState;
import io.counterflow.core.confidence.MeanWeightState;
import io.counterflow.core.confidence.SequenceState;
import io.counterflow.core.numeric.Require;
import java.util.Optional;

/**
 * The state of a comparison of two versions, for storage.
 *
 * @param delta δ of the comparison
 * @param sinceMs earlier decisions are ignored, in milliseconds since 1970
 * @param guardrail empty while no guardrail reward is known
 */
public record ComparisonState(
        double delta,
        long sinceMs,
        SequenceState challenger,
        SequenceState holder,
        DifferenceState difference,
        Optional<DifferenceState> guardrail,
        MeanWeightState meanWeight) {

    public ComparisonState {
        Require.delta(delta);
    }
}
