package io.counterflow.cli.imports;

import io.counterflow.core.log.RewardRange;
import java.util.function.DoubleUnaryOperator;

/**
 * Maps the rewards of a log to [0, 1].
 *
 * @param range the range of the log's rewards
 */
record RewardMapping(RewardRange range) implements DoubleUnaryOperator {

    @Override
    public double applyAsDouble(double reward) {
        try {
            return range.toUnit("reward", reward);
        } catch (IllegalArgumentException e) {
            throw new RejectedRecordException(
                    Rejection.REWARD, e.getMessage() + "; --reward-range maps another range");
        }
    }

    /** The reward of a cost: its negation. */
    double ofCost(double cost) {
        return applyAsDouble(0.0 - cost); // never -0.0
    }
}
